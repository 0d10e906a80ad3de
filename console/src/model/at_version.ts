// SPDX-License-Identifier: Apache-2.0

// What a cluster at a release may do, out of the answer of /updates.

import type { ExplainedUpdate, Reason, Risk, Updates } from "../api/types";

/** Updates that the same risks are about. */
export interface ConditionalUpdates {
  to: string[];
  risks: Risk[];
}

export interface MissingUpdate {
  to: string;
  reasons: Reason[];
  /** Release metadata declares the update, and graph data takes it away. */
  blocked: boolean;
}

export interface AtVersion {
  recommended: string[];
  /** In the order of the highest release of each. */
  conditional: ConditionalUpdates[];
  /** Those that somebody has taken away come first. */
  missing: MissingUpdate[];
}

/** Tells whether an update would be there, had nobody taken it away. */
export function isBlocked(update: ExplainedUpdate): boolean {
  return update.verdict === "none" && update.reasons.some((reason) => reason.kind === "blocked" || reason.kind === "removed-by-metadata");
}

/** Returns the risks of an update: the answer has each of them once, by its position. */
export function risksOf(update: ExplainedUpdate, updates: Updates): Risk[] {
  return update.risks.map((position) => updates.risks[position]).filter((risk) => risk !== undefined);
}

/** Sorts the updates from one release by what they are. The order of the service, the highest first, stays within each list. */
export function atVersion(updates: Updates): AtVersion {
  const result: AtVersion = { recommended: [], conditional: [], missing: [] };
  const notDeclared: MissingUpdate[] = [];
  const groups = new Map<string, ConditionalUpdates>();
  for (const update of updates.updates) {
    if (update.verdict === "recommended") result.recommended.push(update.to);
    else if (update.verdict === "conditional") {
      const key = [...update.risks].sort().join();
      const group = groups.get(key) ?? { to: [], risks: risksOf(update, updates) };
      group.to.push(update.to);
      groups.set(key, group);
    } else {
      const blocked = isBlocked(update);
      (blocked ? result.missing : notDeclared).push({ to: update.to, reasons: update.reasons, blocked });
    }
  }
  result.conditional.push(...groups.values());
  result.missing.push(...notDeclared);
  return result;
}
