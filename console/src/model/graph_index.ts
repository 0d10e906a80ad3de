// SPDX-License-Identifier: Apache-2.0

// The graph of one channel, arranged by what people ask of it: from this release, into that release.

import type { Graph, Node, Risk } from "../api/types";
import { sortedVersions } from "./version";

/** An update that the service offers: recommended to all, or to those that none of its risks concerns. */
export interface Update {
  from: string;
  to: string;
  kind: "recommended" | "conditional";
  risks: Risk[];
}

export class GraphIndex {
  /** All releases, the lowest first. */
  readonly versions: string[];
  readonly recommended: number;
  readonly conditional: number;
  private readonly nodes = new Map<string, Node>();
  private readonly bySource = new Map<string, Update[]>();
  private readonly byTarget = new Map<string, Update[]>();

  constructor(graph: Graph) {
    for (const node of graph.nodes) this.nodes.set(node.version, node);
    this.versions = sortedVersions(this.nodes.keys());
    const rank = new Map(this.versions.map((version, i) => [version, i]));
    const order = (a: string, b: string) => (rank.get(b) ?? -1) - (rank.get(a) ?? -1);
    const updates = new Map<string, Update>();
    const key = (from: string, to: string) => `${from} ${to}`;
    for (const [from, to] of graph.edges) {
      const a = graph.nodes[from]?.version;
      const b = graph.nodes[to]?.version;
      if (a !== undefined && b !== undefined) updates.set(key(a, b), { from: a, to: b, kind: "recommended", risks: [] });
    }
    for (const group of graph.conditionalEdges) {
      for (const { from, to } of group.edges) {
        // One update in several groups is subject to the risks of all.
        const known = updates.get(key(from, to));
        const risks = known?.kind === "conditional" ? [...known.risks, ...group.risks] : group.risks;
        updates.set(key(from, to), { from, to, kind: "conditional", risks });
      }
    }
    for (const update of updates.values()) {
      push(this.bySource, update.from, update);
      push(this.byTarget, update.to, update);
    }
    for (const list of this.bySource.values()) list.sort((a, b) => order(a.to, b.to));
    for (const list of this.byTarget.values()) list.sort((a, b) => order(a.from, b.from));
    const all = [...updates.values()];
    this.recommended = all.filter((update) => update.kind === "recommended").length;
    this.conditional = all.length - this.recommended;
  }

  has(version: string): boolean {
    return this.nodes.has(version);
  }

  node(version: string): Node | undefined {
    return this.nodes.get(version);
  }

  /** Returns the updates from a release, the highest target first. */
  from(version: string): Update[] {
    return this.bySource.get(version) ?? [];
  }

  /** Returns the updates into a release, the highest source first. */
  into(version: string): Update[] {
    return this.byTarget.get(version) ?? [];
  }
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
