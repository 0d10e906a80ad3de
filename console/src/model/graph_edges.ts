// SPDX-License-Identifier: Apache-2.0

// The edges that the graph shows: those of one release, in one direction, in three kinds.

import type { Updates } from "../api/types";
import { isBlocked } from "./at_version";
import type { GraphIndex } from "./graph_index";

export type EdgeKind = "recommended" | "conditional" | "blocked";

export interface ShownEdge {
  from: string;
  to: string;
  kind: EdgeKind;
}

/** Returns the edges of a release: those of the graph, and, as soon as the service has explained the others, those that were taken away. */
export function shownEdges(index: GraphIndex, selected: string, direction: "from" | "to", updates: Updates | null): ShownEdge[] {
  const offered = direction === "from" ? index.from(selected) : index.into(selected);
  const edges: ShownEdge[] = offered.map(({ from, to, kind }) => ({ from, to, kind }));
  const known = new Set(edges.map((edge) => `${edge.from} ${edge.to}`));
  for (const update of updates?.updates ?? []) {
    if (isBlocked(update) && !known.has(`${update.from} ${update.to}`))
      edges.push({ from: update.from, to: update.to, kind: "blocked" });
  }
  return edges;
}

/** Returns the release that a key of the keyboard leads to: within the column, or to the same row of the next one. */
export function neighbour(columns: readonly { versions: string[] }[], version: string, key: string): string | null {
  const column = columns.findIndex((each) => each.versions.includes(version));
  const row = columns[column]?.versions.indexOf(version) ?? -1;
  if (row < 0) return null;
  const at = (c: number, r: number) => {
    const versions = columns[c]?.versions ?? [];
    return versions[Math.min(r, versions.length - 1)] ?? null;
  };
  switch (key) {
    case "ArrowDown": return columns[column]?.versions[row + 1] ?? null;
    case "ArrowUp": return columns[column]?.versions[row - 1] ?? null;
    case "ArrowRight": return at(column + 1, row);
    case "ArrowLeft": return at(column - 1, row);
    case "Home": return at(column, 0);
    case "End": return at(column, Infinity);
    default: return null;
  }
}
