// SPDX-License-Identifier: Apache-2.0

// What the operator does now, in a sentence.

import type { StateEntry, Status, Step } from "../api/cluster_types";

export type StateName = StateEntry["state"];

/** What the operator does in each state. */
export const stateWords: Record<StateName, string> = {
  deciding: "It reads what is asked for.",
  idle: "It does not know yet what runs here.",
  loading: "It pulls and verifies the release.",
  checking: "It checks whether the update may begin.",
  refused: "It does not apply the release that is asked for, and tries again later.",
  starting: "It writes the update into the history before it applies anything.",
  applying: "It applies the manifests of the release.",
  retrying: "A step has failed; it begins again soon.",
  completing: "It writes that the update is completed.",
  reconciling: "It puts back what somebody else has changed.",
  resting: "It has nothing to do until the next look.",
};

/** The states of an update that goes well, in their order. The others are shown while they last. */
export const course: readonly StateName[] = ["deciding", "loading", "checking", "starting", "applying", "completing", "reconciling", "resting"];

export interface Situation {
  /** How it stands: all is well, work is under way, or somebody should look. */
  kind: "well" | "works" | "care" | "unknown";
  text: string;
  /** How far it is: "2 of 4 manifests are done"; "" where nothing is counted. It changes often. */
  counted: string;
}

/** Returns the present state; null where the operator has entered none, as on a replica that does not lead. */
export function presentState(update: Status["update"] | undefined): StateEntry | null {
  return update?.states[update.states.length - 1] ?? null;
}

/** The steps that wait or have failed. */
export function obstacles(update: Status["update"] | undefined): Step[] {
  return (update?.plan?.steps ?? []).filter((step) => step.stage !== "running");
}

/** Says that what the operator has written is of an earlier spec; null where it is of the newest. */
export function ofEarlierSpec(status: Partial<Status>): string | null {
  if (!status.cluster?.found || status.cluster.current !== false) return null;
  return "The spec has changed, and the operator has not said anything of it yet: this is what it said before.";
}

/** Says how much of ClusterVersion has no room in the status; null where everything has. */
export function notShown(status: Partial<Status>): string | null {
  const count = status.cluster?.leftOut ?? 0;
  if (count === 0) return null;
  return `${count} ${count === 1 ? "entry" : "entries"} of ClusterVersion ${count === 1 ? "is" : "are"} not shown here; kubectl get clusterversion version -o yaml has all.`;
}

const said = (kind: Situation["kind"], text: string, counted = ""): Situation => ({ kind, text, counted });

/** Says in a sentence how the cluster stands. */
export function situationOf(status: Partial<Status>): Situation {
  const { cluster, update } = status;
  if (cluster === undefined) return said("unknown", "Nothing is known of the cluster yet.");
  if (!cluster.found) return said("unknown", "This cluster has no ClusterVersion.");
  const condition = (type: string) => cluster.conditions?.find((each) => each.type === type);
  const version = cluster.version ?? "";
  const newest = cluster.history?.[0];
  if (condition("Invalid")?.status === "True") return said("care", "What the spec asks for is not done, because it is wrong.");
  if (condition("ReleaseAccepted")?.status === "False") return said("care", `The cluster stays at ${version}: the release that is asked for is refused.`);
  const failing = condition("Failing")?.status === "True";
  if (newest?.state === "Partial") {
    const plan = update?.plan?.version === newest.version ? update.plan : undefined;
    const counted = plan === undefined || plan.total === 0 ? "" : `${plan.done} of ${plan.total} manifests are done`;
    return failing ? said("care", `The update to ${newest.version} fails.`, counted) : said("works", `The cluster is being updated to ${newest.version}.`, counted);
  }
  if (failing) return said("care", `The cluster runs ${version}, and something of it cannot be kept as it should be.`);
  if (version === "") return said("unknown", "It is not known yet which release runs here.");
  return said("well", `The cluster runs ${version}, and no update is under way.`);
}

/** Returns a situation with how far it is: "The cluster is being updated to 4.7.4: 2 of 4 manifests are done." */
export function inFull({ text, counted }: Situation): string {
  return counted === "" ? text : `${text.replace(/\.$/, "")}: ${counted}.`;
}
