// SPDX-License-Identifier: Apache-2.0

// Conditions of ClusterVersion in words.

import type { Condition } from "../api/cluster_types";

interface Words {
  True: string;
  False: string;
  Unknown?: string;
  /** The status that asks for nothing; null: none does. */
  well: "True" | "False" | null;
}

/** What each condition says that docs/operator-reference.md has. */
export const conditionWords: Record<string, Words> = {
  Available: { True: "The cluster runs a release that was applied as a whole.", False: "No release was applied as a whole yet.", well: "True" },
  Progressing: { True: "A release is being applied.", False: "No update is under way.", well: null },
  Failing: { True: "Something of the release cannot be applied; it is tried again.", False: "Nothing fails.", well: "False" },
  Upgradeable: { True: "Updates to a higher minor version may begin.", False: "Updates to a higher minor version are refused, those within the minor version are not.", well: "True" },
  RetrievedUpdates: { True: "The update service has answered.", False: "The update service has given no usable answer.", Unknown: "The update service is being asked.", well: "True" },
  RetrievedChannels: { True: "The update service has listed its channels.", False: "The update service has not listed its channels.", Unknown: "The update service is being asked for its channels.", well: "True" },
  ReleaseAccepted: { True: "The release that is asked for counts.", False: "The release that is asked for is not applied; what runs goes on.", Unknown: "The release that is asked for is being read.", well: "True" },
  Invalid: { True: "The spec is wrong, so that what it asks for is not done.", False: "The spec is understood.", well: "False" },
  ImplicitlyEnabledCapabilities: { True: "Capabilities are enabled that the spec does not ask for, as the cluster had them before.", False: "Only those capabilities are enabled that the spec asks for.", well: "False" },
  "fairway.dev/StaleUpdates": { True: "The lists of updates are those of an earlier answer.", False: "The lists of updates are those of the last answer.", well: "False" },
  "fairway.dev/IncompleteUpdates": { True: "Parts of the answer of the update service were left out.", False: "Nothing of the answer was left out.", well: "False" },
  "fairway.dev/UnlistedUpdates": { True: "There are updates that ClusterVersion cannot list.", False: "ClusterVersion lists all updates.", well: "False" },
  "fairway.dev/ReleaseKeysMissing": { True: "There are no keys that count, so that no release can be verified.", False: "There are keys by which releases are verified.", well: "False" },
};

/** Returns what a condition says. */
export function conditionInWords(condition: Condition): string {
  const words = Object.hasOwn(conditionWords, condition.type) ? conditionWords[condition.type] : undefined;
  if (words === undefined) return condition.status === "Unknown" ? "Nobody knows." : `This condition is ${condition.status === "True" ? "true" : "false"}.`;
  return words[condition.status] ?? "Nobody knows yet.";
}

export type Standing = "well" | "care" | "neither";

/** Tells whether a condition asks for somebody's attention. */
export function standingOf(condition: Condition): Standing {
  const words = Object.hasOwn(conditionWords, condition.type) ? conditionWords[condition.type] : undefined;
  if (words === undefined || words.well === null) return "neither";
  if (condition.status === "Unknown") return "neither";
  return condition.status === words.well ? "well" : "care";
}

/** Returns the conditions, those first that ask for attention. */
export function byAttention(conditions: readonly Condition[]): Condition[] {
  const rank = { care: 0, neither: 1, well: 2 };
  return [...conditions].sort((a, b) => rank[standingOf(a)] - rank[standingOf(b)]);
}
