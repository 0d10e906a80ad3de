// SPDX-License-Identifier: Apache-2.0

// What "Copy as text" puts on the clipboard: the answers as one would write them into a ticket.

import type { Paths, Problem, Risk } from "../api/types";
import type { AtVersion } from "./at_version";
import { visible } from "./hostile_text";

/** Returns "blocked-edges/4.7.4.yaml:1", or "" where no file is known. */
export function placeOf(reason: { file?: string; line?: number }): string {
  if (!reason.file) return "";
  return visible(reason.file) + (reason.line ? `:${reason.line}` : "");
}

/** Returns the rules of a risk in words: whom it may concern. */
export function rulesInWords(risk: Risk): string[] {
  return risk.matchingRules.map((rule) => {
    if (rule.type === "Always") return "Concerns every cluster.";
    const query = (rule as { promql?: { promql?: unknown } }).promql?.promql;
    if (rule.type === "PromQL" && typeof query === "string")
      return `Concerns clusters where this query gives 1: ${visible(query).trim()}`;
    return `Concerns clusters that match a rule of the type ${visible(rule.type)}.`;
  });
}

function riskLines(risk: Risk, indent: string): string[] {
  return [
    `${indent}${visible(risk.name)}  ${visible(risk.url)}`,
    `${indent}  ${visible(risk.message).replace(/\s+/g, " ")}`,
    ...rulesInWords(risk).map((rule) => `${indent}  ${rule.replace(/\s+/g, " ")}`),
  ];
}

/** Returns what a cluster at a release may do, as text. */
export function atVersionText(channel: string, arch: string, version: string, at: AtVersion): string {
  const lines = [`Channel ${channel} (${arch}): what a cluster at ${version} may move to`, "", "Recommended"];
  lines.push(...(at.recommended.length ? at.recommended.map((to) => `  ${to}`) : ["  nothing"]));
  if (at.conditional.length) {
    lines.push("", "Recommended only to clusters that none of these risks concerns");
    for (const { to, risks } of at.conditional) {
      lines.push(`  ${to.join(", ")}`);
      for (const risk of risks) lines.push(...riskLines(risk, "    "));
    }
  }
  if (at.missing.length) {
    lines.push("", "No update to");
    for (const { to, reasons } of at.missing) {
      lines.push(`  ${to}`);
      for (const reason of reasons) {
        const place = placeOf(reason);
        lines.push(`    ${visible(reason.message).replace(/\s+/g, " ")}${place ? `  ${place}` : ""}`);
      }
    }
  }
  return lines.join("\n") + "\n";
}

/** Returns paths as text. */
export function pathsText(from: string, to: string, paths: Paths): string {
  const lines = [`From ${from} to ${to}`];
  if (paths.paths.length === 0) lines.push(`There is no path: ${visible(paths.reason ?? "no reason is known")}`);
  const add = (title: string, path: Paths["paths"][number]) => {
    lines.push("", `${title}: ${path.hops.length} update${path.hops.length === 1 ? "" : "s"}`);
    for (const hop of path.hops) {
      const risks = hop.risks.length ? `subject to ${hop.risks.map(visible).join(", ")}` : "recommended";
      lines.push(`  ${hop.from} -> ${hop.to}  ${hop.channel}  ${risks}`);
    }
  };
  paths.paths.forEach((path, i) => add(`Path ${i + 1}`, path));
  if (paths.fewestRisks) add("Longer, with fewer risks", paths.fewestRisks);
  return lines.join("\n") + "\n";
}

/** Returns problems as text. */
export function problemsText(problems: Problem[]): string {
  if (problems.length === 0) return "No problems.\n";
  return problems
    .map((problem) => `${visible(problem.kind)}  ${placeOf(problem)}\n  ${visible(problem.message).replace(/\s+/g, " ")}\n`)
    .join("");
}
