// SPDX-License-Identifier: Apache-2.0

// The state of the cluster's page as a link: what stands behind # in the address.

export type ClusterView = "cluster" | "update" | "risks" | "conditions" | "history";

export interface ClusterRoute {
  view: ClusterView;
  /** The update that the risks are shown of; "" for all. */
  version: string;
}

const views: readonly ClusterView[] = ["cluster", "update", "risks", "conditions", "history"];

/** Reads "#/risks?version=4.7.4". What it does not know it ignores. */
export function readClusterRoute(hash: string): ClusterRoute {
  const [name = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const version = new URLSearchParams(query).get("version") ?? "";
  return {
    view: views.find((each) => each === name) ?? "cluster",
    // Who sends a link does not choose what the page says.
    version: /^[0-9A-Za-z.+-]{1,256}$/.test(version) ? version : "",
  };
}

/** Returns the link of a state: `readClusterRoute` of it gives the state. */
export function clusterLink(view: ClusterView, version = ""): string {
  return `#/${view}${version === "" ? "" : `?${new URLSearchParams({ version }).toString()}`}`;
}
