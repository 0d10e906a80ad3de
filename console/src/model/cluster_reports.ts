// SPDX-License-Identifier: Apache-2.0

// What "Copy as text" puts on the clipboard on the page of a cluster.

import type { Cluster, Condition, HistoryEntry, Migration, RiskState, Status } from "../api/cluster_types";
import { byAttention, conditionInWords } from "./conditions";
import { visible } from "./hostile_text";
import { inFull, notShown, ofEarlierSpec, presentState, situationOf, stateWords } from "./update_state";

/** Returns a text of somebody else in one line. */
const line = (text: string) => visible(text).replace(/\s+/g, " ").trim();

export function clusterText(status: Partial<Status>): string {
  const { cluster } = status;
  if (!cluster?.found) return `${situationOf(status).text}\n`;
  const earlier = ofEarlierSpec(status);
  const lines = [line(inFull(situationOf(status))), ...(earlier === null ? [] : [earlier]), "", `Version  ${line(cluster.version ?? "")}`, `Channel  ${line(cluster.channel ?? "none")}`, "", "Recommended"];
  const available = cluster.available ?? [];
  lines.push(...(available.length ? available.map((release) => `  ${line(release.version)}  ${line(release.image)}`) : ["  nothing"]));
  const rest = (cluster.conditional ?? []).filter((update) => update.recommended?.status !== "True");
  if (rest.length) {
    lines.push("", "Not recommended");
    for (const update of rest)
      lines.push(`  ${line(update.version)}  ${line(update.recommended?.reason ?? "")}`, `    ${line(update.recommended?.message ?? "")}`);
  }
  const care = byAttention(cluster.conditions ?? []).filter((each) => each.message !== "");
  if (care.length) lines.push("", conditionsText(care).trimEnd());
  const more = notShown(status);
  if (more !== null) lines.push("", more);
  return `${lines.join("\n")}\n`;
}

export function risksText(risks: readonly RiskState[]): string {
  if (risks.length === 0) return "No risks.\n";
  return risks.map((risk) => {
    const lines = [`${line(risk.name)}  ${risk.verdict}  ${risk.versions.map(line).join(", ")}`, `  ${line(risk.message)}`, `  ${line(risk.url)}`];
    for (const rule of risk.matchingRules) {
      const query = (rule as { promql?: { promql?: unknown } }).promql?.promql;
      lines.push(`  ${line(rule.type)}${typeof query === "string" ? `: ${line(query)}` : ""}`);
    }
    if (risk.value !== undefined) lines.push(`  decided by ${risk.series === undefined ? "a sample without labels" : line(risk.series)} = ${line(risk.value)}`);
    if (risk.error !== undefined) lines.push(`  ${line(risk.error)}`);
    if (risk.last !== undefined) lines.push(`  evaluated ${risk.last}`);
    if (risk.next !== undefined) lines.push(`  next ${risk.next}`);
    return `${lines.join("\n")}\n`;
  }).join("");
}

export function conditionsText(conditions: readonly Condition[]): string {
  if (conditions.length === 0) return "No conditions.\n";
  return byAttention(conditions).map((each) => {
    const head = [`${line(each.type)}=${each.status}`, line(each.reason), each.since === undefined ? "" : `since ${each.since}`];
    const lines = [head.filter((part) => part !== "").join("  "), `  ${conditionInWords(each)}`];
    if (each.message !== "") lines.push(`  ${line(each.message)}`);
    return `${lines.join("\n")}\n`;
  }).join("");
}

export function historyText(history: readonly HistoryEntry[]): string {
  if (history.length === 0) return "No history.\n";
  return history.map((entry) => {
    const lines = [`${line(entry.state)}  ${line(entry.version)}  ${entry.started ?? "?"} to ${entry.completed ?? "now"}${entry.verified ? "" : "  not verified"}`, `  ${line(entry.image)}`];
    if (entry.acceptedRisks !== undefined) lines.push(...visible(entry.acceptedRisks).split("\n").map((risk) => `  accepted: ${risk.trim()}`));
    return `${lines.join("\n")}\n`;
  }).join("");
}

function migrationLine(migration: Migration): string {
  const counted = migration.done === undefined ? "not begun" : `${migration.done}${migration.total === undefined ? "" : ` of ${migration.total}`} objects`;
  return `  ${line(migration.kind)}.${line(migration.group)}  ${line(migration.from)} -> ${line(migration.to)}  ${migration.completed ? "completed" : counted}`;
}

export function updateText(status: Partial<Status>): string {
  const { update, migrations } = status;
  const state = presentState(update);
  const lines = [line(inFull(situationOf(status)))];
  if (state !== null) lines.push(`State  ${state.state} since ${state.since}: ${stateWords[state.state] ?? ""}`);
  const plan = update?.plan;
  if (plan !== undefined) {
    lines.push("", `Release ${line(plan.version)}, ${plan.mode}: ${plan.done} of ${plan.total} manifests are done`);
    for (const level of plan.levels)
      lines.push(`  run level ${level.level === "" ? "none" : line(level.level)}  ${level.done} of ${level.total}${level.failed ? `, ${level.failed} failed` : ""}`);
    for (const step of plan.steps) lines.push(`  ${step.stage}  ${line(step.object)}  since ${step.since}`, ...(step.message === undefined ? [] : [`    ${line(step.message)}`]));
    if (plan.leftOut > 0) lines.push(`  and ${plan.leftOut} more`);
  }
  if (migrations !== undefined && migrations.migrations.length > 0) lines.push("", "Migrations of stored objects", ...migrations.migrations.map(migrationLine));
  if (migrations !== undefined && migrations.leftOut > 0) lines.push(`  and ${migrations.leftOut} more`);
  return `${lines.join("\n")}\n`;
}

/** Returns the risks that the updates of a cluster have, of one update where one is chosen. */
export function risksOf(status: Partial<Status>, version: string): RiskState[] {
  const risks = status.risks?.risks ?? [];
  return version === "" ? risks : risks.filter((risk) => risk.versions.includes(version));
}

/** Returns the conditional updates that are not recommended: those that are stand in the other list, too. */
export function notRecommended(cluster: Cluster) {
  return (cluster.conditional ?? []).filter((update) => update.recommended?.status !== "True");
}
