// SPDX-License-Identifier: Apache-2.0

// What the page of a cluster says: states, conditions, commands, links and texts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Condition, Status } from "../src/api/cluster_types";
import { clusterText, conditionsText, historyText, notRecommended, risksOf, risksText, updateText } from "../src/model/cluster_reports";
import { clusterLink, readClusterRoute } from "../src/model/cluster_route";
import { acceptCommand, cancelCommand, cancelWords, updateCommand } from "../src/model/commands";
import { byAttention, conditionInWords, conditionWords, standingOf } from "../src/model/conditions";
import { course, inFull, notShown, obstacles, ofEarlierSpec, presentState, situationOf, stateWords } from "../src/model/update_state";

const reference = readFileSync(join(CONSOLE_FOLDER, "../docs/operator-reference.md"), "utf8");
const table = (heading: string) => reference.slice(reference.indexOf(heading)).split("\n## ")[0]!;

test("there are words for each state and each condition that docs/operator-reference.md has", () => {
  const states = [...table("## States of an update").matchAll(/^\| `([a-z]+)` \|/gm)].map((match) => match[1]!);
  assert.equal(states.length, 11);
  assert.deepEqual(Object.keys(stateWords).sort(), states.sort());
  for (const state of course) assert.ok(states.includes(state), state);
  const first = table("## Conditions of ClusterVersion").split("Every conditional update")[0]!;
  const conditions = [...first.matchAll(/^\| (`[^|]+) \|/gm)].flatMap((match) => [...match[1]!.matchAll(/`([^`]+)`/g)].map((name) => name[1]!));
  assert.ok(conditions.length > 10);
  assert.deepEqual(Object.keys(conditionWords).sort(), conditions.sort());
});

const condition = (type: string, status: Condition["status"], message = ""): Condition => ({ type, status, reason: "", message });

test("conditions are said in words, and those come first that ask for attention", () => {
  assert.equal(conditionInWords(condition("Failing", "True")), "Something of the release cannot be applied; it is tried again.");
  assert.equal(conditionInWords(condition("Upgradeable", "Unknown")), "Nobody knows yet.");
  assert.equal(conditionInWords(condition("Somebody's", "False")), "This condition is false.");
  for (const odd of ["constructor", "__proto__", "toString"]) assert.equal(standingOf(condition(odd, "True")), "neither", odd);
  const sorted = byAttention([condition("Available", "True"), condition("Progressing", "True"), condition("Failing", "True"), condition("Upgradeable", "False"), condition("Failing2", "True")]);
  assert.deepEqual(sorted.map((each) => each.type), ["Failing", "Upgradeable", "Progressing", "Failing2", "Available"]);
});

const status: Status = {
  program: { version: "1", started: "2026-02-19T23:09:12Z", leads: true },
  cluster: {
    found: true, version: "4.7.4", image: "r@sha256:b", channel: "stable-4.7", upstreamSetBy: "operator", current: true,
    available: [{ version: "4.7.9", image: "r@sha256:c" }],
    conditional: [
      { version: "4.7.10", image: "r@sha256:d", risks: ["A"], recommended: { type: "Recommended", status: "False", reason: "A", message: "A message\nof two lines" } },
      { version: "4.7.9", image: "r@sha256:c", risks: ["B"], recommended: { type: "Recommended", status: "True", reason: "NotExposedToRisks", message: "" } },
    ],
    conditions: [condition("Progressing", "True", "Working towards 4.7.4: 2 of 4 done")],
    history: [
      { state: "Partial", version: "4.7.4", image: "r@sha256:b", verified: false, started: "2026-02-19T23:09:12Z", acceptedRisks: "one\ntwo\u202e" },
      { state: "Completed", version: "4.6.23", image: "r@sha256:a", verified: true, started: "2026-01-01T00:00:00Z", completed: "2026-01-01T01:00:00Z" },
    ],
  },
  risks: { time: "2026-02-19T23:09:12Z", version: "4.7.4", leftOut: 0, risks: [
    { name: "A", url: "https://example.com/A", message: "A message", verdict: "matches", versions: ["4.7.10"], decidedBy: "PromQL",
      matchingRules: [{ type: "PromQL", promql: { promql: "max(\n  up)" } } as never], value: "1", series: "{a=\"\u202e\"}", last: "2026-02-19T23:09:12Z", next: "2026-02-20T00:09:12Z" },
    { name: "B", url: "u", message: "B", verdict: "does not match", versions: ["4.7.9"], matchingRules: [{ type: "Always" }] },
  ] },
  update: {
    states: [{ state: "loading", since: "2026-02-19T23:09:11Z" }, { state: "applying", since: "2026-02-19T23:09:12Z" }],
    plan: { version: "4.7.4", mode: "updating", started: "2026-02-19T23:09:12Z", total: 4, done: 2, leftOut: 0,
      levels: [{ level: "", total: 1, done: 1, failed: 0, active: 0, components: [], moreComponents: 0 }, { level: "10", total: 3, done: 1, failed: 1, active: 2, components: ["dns"], moreComponents: 0 }],
      steps: [
        { name: "a", file: "0000_10_dns_1.yaml", object: "deployment \"dns/dns\"", action: "apply", waitsFor: "rolled out", stage: "waiting", since: "2026-02-19T23:09:13Z", message: "0 of 1 updated" },
        { name: "b", file: "0000_10_dns_2.yaml", object: "configmap \"dns/c\"", action: "apply", waitsFor: "nothing", stage: "running", since: "2026-02-19T23:09:14Z" },
      ] },
  },
  migrations: { leftOut: 0, migrations: [
    { name: "m", namespace: "default", group: "example.com", kind: "Widget", from: "v1alpha1", to: "v1", dryRun: false, completed: false, done: 3, total: 9, conditions: [] },
  ] },
};
const changed = (cluster: Partial<Status["cluster"]>): Status => ({ ...status, cluster: { ...status.cluster, ...cluster } });

test("one sentence says how the cluster stands", () => {
  const completed = { history: [{ state: "Completed", version: "4.7.4", image: "i", verified: true }], conditions: [] };
  const cases: [Partial<Status>, string, string][] = [
    [{}, "unknown", "Nothing is known of the cluster yet."],
    [changed({ found: false }), "unknown", "This cluster has no ClusterVersion."],
    [status, "works", "The cluster is being updated to 4.7.4: 2 of 4 manifests are done."],
    [changed({ conditions: [condition("Failing", "True")] }), "care", "The update to 4.7.4 fails: 2 of 4 manifests are done."],
    [changed({ conditions: [condition("ReleaseAccepted", "False")] }), "care", "The cluster stays at 4.7.4: the release that is asked for is refused."],
    [changed({ conditions: [condition("Invalid", "True")] }), "care", "What the spec asks for is not done, because it is wrong."],
    [changed(completed), "well", "The cluster runs 4.7.4, and no update is under way."],
    [changed({ ...completed, conditions: [condition("Failing", "True")] }), "care", "The cluster runs 4.7.4, and something of it cannot be kept as it should be."],
    [changed({ version: "", history: [] }), "unknown", "It is not known yet which release runs here."],
  ];
  for (const [of, kind, text] of cases) assert.deepEqual([situationOf(of).kind, inFull(situationOf(of))], [kind, text]);
  assert.equal(situationOf(status).text, "The cluster is being updated to 4.7.4.", "what is read out does not change with each manifest");
  assert.equal(presentState(status.update)?.state, "applying");
  assert.equal(presentState(undefined), null);
  assert.deepEqual(obstacles(status.update).map((step) => step.name), ["a"]);
});

test("what is of an earlier spec is said to be, and so is what has no room", () => {
  const earlier = "The spec has changed, and the operator has not said anything of it yet: this is what it said before.";
  assert.equal(ofEarlierSpec(changed({ current: false })), earlier);
  for (const of of [status, {}, { cluster: { found: false } }]) assert.equal(ofEarlierSpec(of), null);
  assert.match(clusterText(changed({ current: false })), new RegExp(`^[^\\n]*\\n${earlier}\\n`));
  assert.equal(notShown(status), null);
  assert.equal(notShown(changed({ leftOut: 1 })), "1 entry of ClusterVersion is not shown here; kubectl get clusterversion version -o yaml has all.");
  assert.match(clusterText(changed({ leftOut: 7 })), /\n7 entries of ClusterVersion are not shown here; /);
  assert.match(updateText({ ...status, migrations: { ...status.migrations, leftOut: 3 } }), /\n  and 3 more\n$/);
});

test("the words beside --clear are those of its help", () => {
  const help = readFileSync(join(CONSOLE_FOLDER, "../src/cli/adm/upgrade.cc"), "utf8");
  assert.equal(cancelCommand, "fairway adm upgrade --clear");
  const words = /"--clear", flags\.clear, "([^"]+)"/.exec(help)![1]!;
  assert.equal(cancelWords, `To ${words[0]!.toLowerCase()}${words.slice(1)}`);
});

test("what is recommended is not listed among what is not", () => {
  assert.deepEqual(notRecommended(status.cluster).map((update) => update.version), ["4.7.10"]);
  assert.deepEqual(risksOf(status, "4.7.10").map((risk) => risk.name), ["A"]);
  assert.deepEqual(risksOf(status, "").map((risk) => risk.name), ["A", "B"]);
});

test("commands are shown for names only that a shell and the command read as names", () => {
  assert.equal(updateCommand("4.7.4-rc.1+amd64", false), "fairway adm upgrade --to 4.7.4-rc.1+amd64");
  assert.equal(updateCommand("4.7.4", true), "fairway adm upgrade --to 4.7.4 --allow-not-recommended");
  assert.equal(acceptCommand("VSphere_Node.Names"), "fairway adm upgrade accept VSphere_Node.Names");
  for (const odd of ["", "-f", "--force", "a b", "a;b", "$(x)", "a\nb", "a,b", "Risk-", "a\u202eb", "`x`", "a'b", "ä"]) {
    assert.equal(updateCommand(odd, false), null, odd);
    assert.equal(acceptCommand(odd), null, odd);
  }
});

test("a link of the cluster's page leads back to its state", () => {
  for (const view of ["cluster", "update", "risks", "conditions", "history"] as const) assert.deepEqual(readClusterRoute(clusterLink(view, "4.7.4+x")), { view, version: "4.7.4+x" });
  for (const hash of ["", "#", "#/nothing", "#/cluster?version=<b>", "x?%ZZ"]) assert.deepEqual(readClusterRoute(hash), { view: "cluster", version: "" }, hash);
});

test("the views are copied as text", () => {
  assert.equal(clusterText(status), `The cluster is being updated to 4.7.4: 2 of 4 manifests are done.

Version  4.7.4
Channel  stable-4.7

Recommended
  4.7.9  r@sha256:c

Not recommended
  4.7.10  A
    A message of two lines

Progressing=True
  A release is being applied.
  Working towards 4.7.4: 2 of 4 done
`);
  assert.equal(clusterText({ cluster: { found: false } }), "This cluster has no ClusterVersion.\n");
  assert.equal(risksText(status.risks.risks.slice(0, 1)), `A  matches  4.7.10
  A message
  https://example.com/A
  PromQL: max( up)
  decided by {a="\\u{202E}"} = 1
  evaluated 2026-02-19T23:09:12Z
  next 2026-02-20T00:09:12Z
`);
  assert.equal(historyText(status.cluster.history ?? []), `Partial  4.7.4  2026-02-19T23:09:12Z to now  not verified
  r@sha256:b
  accepted: one
  accepted: two\\u{202E}
Completed  4.6.23  2026-01-01T00:00:00Z to 2026-01-01T01:00:00Z
  r@sha256:a
`);
  assert.equal(updateText(status), `The cluster is being updated to 4.7.4: 2 of 4 manifests are done.
State  applying since 2026-02-19T23:09:12Z: It applies the manifests of the release.

Release 4.7.4, updating: 2 of 4 manifests are done
  run level none  1 of 1
  run level 10  1 of 3, 1 failed
  waiting  deployment "dns/dns"  since 2026-02-19T23:09:13Z
    0 of 1 updated
  running  configmap "dns/c"  since 2026-02-19T23:09:14Z

Migrations of stored objects
  Widget.example.com  v1alpha1 -> v1  3 of 9 objects
`);
  assert.equal(conditionsText([]), "No conditions.\n");
  assert.equal(risksText([]), "No risks.\n");
  assert.equal(historyText([]), "No history.\n");
});
