// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Graph, Updates } from "../src/api/types";
import { atVersion, isBlocked } from "../src/model/at_version";
import { inWords } from "../src/model/age";
import { linkOf, visible } from "../src/model/hostile_text";
import { neighbour, shownEdges } from "../src/model/graph_edges";
import { GraphIndex } from "../src/model/graph_index";
import { atVersionText, pathsText, placeOf, problemsText, rulesInWords } from "../src/model/reports";
import { linkTo, readRoute } from "../src/model/route";
import { compareVersions, minorOf } from "../src/model/version";

test("versions are ordered as SemVer orders them", () => {
  const ordered = ["no version", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
    "1.0.0-rc.1", "1.0.0", "4.6.8", "4.6.23", "4.10.0-ec.0", "4.10.0", "10.0.0"];
  for (let i = 0; i < ordered.length; ++i) {
    for (let j = 0; j < ordered.length; ++j)
      assert.equal(Math.sign(compareVersions(ordered[i]!, ordered[j]!)), Math.sign(i - j), `${ordered[i]} ${ordered[j]}`);
  }
  assert.equal(compareVersions("4.7.0+amd64", "4.7.0+arm64"), 0);
  assert.equal(minorOf("4.10.3-rc.1"), "4.10");
  assert.equal(minorOf("x"), "other");
});

test("hostile text is written out", () => {
  const cases: [string, string][] = [
    ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
    ["a\u202Eb\u2066c\u200Bd\u00ADe\u061Cf\uFEFFg", "a\\u{202E}b\\u{2066}c\\u{200B}d\\u{00AD}e\\u{061C}f\\u{FEFF}g"],
    ["\u0000\u001b[31m\u009b\u007f", "\\u{0000}\\u{001B}[31m\\u{009B}\\u{007F}"],
    ["two\nlines\tand 日本語 and 🚢", "two\nlines\tand 日本語 and 🚢"],
    ["lone \ud83d here", "lone \\u{D83D} here"],
  ];
  for (const [text, expected] of cases) assert.equal(visible(text), expected);
});

test("links lead to http and https only", () => {
  for (const url of ["https://example.com/risks/a?b=c#d", "http://192.0.2.1:8080/"]) assert.equal(linkOf(url), new URL(url).href, url);
  for (const url of ["javascript:alert(1)", " javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
    "urn:fairway:problem:x", "//example.com", "/path", "", "https://user:pass@example.com/", "https://example.com/\u202Etxt.exe", "https://exa mple.com",
    "blob:https://example.com/x", "https://"])
    assert.equal(linkOf(url), null, JSON.stringify(url));
});

const graph: Graph = {
  version: 1,
  nodes: ["4.6.23", "4.7.0", "4.7.4", "4.6.8"].map((version) => ({ version, payload: "p", metadata: {} })),
  edges: [[3, 0], [0, 1], [1, 2]],
  conditionalEdges: [
    { edges: [{ from: "4.6.8", to: "4.7.0" }], risks: [{ name: "A", message: "", url: "", matchingRules: [] }] },
    { edges: [{ from: "4.6.8", to: "4.7.0" }], risks: [{ name: "B", message: "", url: "", matchingRules: [] }] },
  ],
};
const updates: Updates = {
  updates: [
    { from: "4.6.8", to: "4.7.4", verdict: "none", reasons: [{ kind: "no-such-edge", message: "no edge" }], risks: [] },
    { from: "4.6.8", to: "4.7.0", verdict: "conditional", reasons: [], risks: [1, 0, 7] },
    { from: "4.6.8", to: "4.6.42", verdict: "none", reasons: [{ kind: "blocked", message: "m", file: "blocked-edges/a.yaml", line: 2 }], risks: [] },
    { from: "4.6.8", to: "4.6.23", verdict: "recommended", reasons: [], risks: [] },
  ],
  reasons: [],
  risks: [{ name: "A", message: "a", url: "u", matchingRules: [{ type: "Always" }] }, { name: "B", message: "b", url: "u", matchingRules: [] }],
};

test("the graph is arranged by release", () => {
  const index = new GraphIndex(graph);
  assert.deepEqual(index.versions, ["4.6.8", "4.6.23", "4.7.0", "4.7.4"]);
  assert.deepEqual([index.recommended, index.conditional], [3, 1]);
  assert.deepEqual(index.from("4.6.8").map(({ to, kind, risks }) => [to, kind, risks.map((risk) => risk.name).join()]),
    [["4.7.0", "conditional", "A,B"], ["4.6.23", "recommended", ""]]);
  assert.deepEqual(index.into("4.7.0").map((update) => update.from), ["4.6.23", "4.6.8"]);
  assert.deepEqual(index.from("9.9.9"), []);
  // Positions outside of the list of nodes name nothing.
  assert.equal(new GraphIndex({ ...graph, edges: [[0, 99]], conditionalEdges: [] }).recommended, 0);
});

test("the updates of a release are sorted by what they are, and blocked ones come first among the missing", () => {
  const at = atVersion(updates);
  assert.deepEqual(at.recommended, ["4.6.23"]);
  assert.deepEqual(at.conditional.map(({ to, risks }) => [to, risks.map((risk) => risk.name)]), [[["4.7.0"], ["B", "A"]]]);
  assert.deepEqual(at.missing.map(({ to, blocked }) => [to, blocked]), [["4.6.42", true], ["4.7.4", false]]);
  assert.equal(isBlocked({ from: "a", to: "b", verdict: "conditional", reasons: [{ kind: "blocked", message: "" }], risks: [] }), false);
});

test("updates with the same risks stand together", () => {
  const conditional = (to: string, risks: number[]) => ({ from: "1.0.0", to, verdict: "conditional" as const, reasons: [], risks });
  const at = atVersion({ ...updates, updates: [conditional("1.0.4", [0]), conditional("1.0.3", [0, 1]), conditional("1.0.2", [1, 0]), conditional("1.0.1", [0])] });
  assert.deepEqual(at.conditional.map(({ to }) => to), [["1.0.4", "1.0.1"], ["1.0.3", "1.0.2"]]);
});

test("each edge of the selected release is shown once, in one of three kinds", () => {
  const edges = shownEdges(new GraphIndex(graph), "4.6.8", "from", updates);
  assert.deepEqual(edges, [
    { from: "4.6.8", to: "4.7.0", kind: "conditional" },
    { from: "4.6.8", to: "4.6.23", kind: "recommended" },
    { from: "4.6.8", to: "4.6.42", kind: "blocked" },
  ]);
  assert.deepEqual(shownEdges(new GraphIndex(graph), "4.7.4", "to", null), [{ from: "4.7.0", to: "4.7.4", kind: "recommended" }]);
});

test("keys lead from release to release", () => {
  const columns = [{ versions: ["1.0.0", "1.0.1", "1.0.2"] }, { versions: ["1.1.0"] }];
  const cases: [string, string, string | null][] = [["1.0.0", "ArrowDown", "1.0.1"], ["1.0.0", "ArrowUp", null], ["1.0.2", "ArrowDown", null],
    ["1.0.2", "ArrowRight", "1.1.0"], ["1.1.0", "ArrowLeft", "1.0.0"], ["1.1.0", "ArrowRight", null], ["1.0.1", "End", "1.0.2"],
    ["1.0.1", "Home", "1.0.0"], ["1.0.1", "x", null], ["9.9.9", "ArrowDown", null]];
  for (const [from, key, to] of cases) assert.equal(neighbour(columns, from, key), to, `${from} ${key}`);
});

test("a link leads back to its state", () => {
  for (const change of [{}, { view: "channel", channel: "stable-4.7" }, { view: "at", channel: "stable-4.7", arch: "arm64", from: "4.6.8+arm64", to: "4.7.4" },
    { view: "path", channel: "c&d=#?", from: "a", to: "b", avoid: ["A B", "C,D"] }, { view: "graph", channel: "x", direction: "to", search: "4.7 é" },
    { view: "problems", channel: "x" }] as const) {
    const link = linkTo({ ...change, ...("avoid" in change ? { avoid: [...change.avoid] } : {}) });
    assert.equal(linkTo(readRoute(link)), link);
    for (const [key, value] of Object.entries(change)) assert.deepEqual(readRoute(link)[key as "from"], value, link);
  }
  for (const hash of ["", "#", "#/", "#/nothing", "#/at", "#/at?from=1", "#/graph?channel=", "x?%ZZ"]) assert.equal(readRoute(hash).view, "channels", hash);
});

test("a link chooses no version or architecture with characters that none has", () => {
  for (const odd of ["4.5.499\u202E", "<b>", "4.7.0 ", "4.7.0\n", "x".repeat(257), "ä"]) {
    const route = readRoute(`#/graph?${new URLSearchParams({ channel: "c", from: odd, to: odd, arch: odd })}`);
    assert.deepEqual([route.from, route.to, route.arch], ["", "", "amd64"], odd);
  }
  const whole = readRoute("#/at?channel=c&from=4.7.0-rc.1%2Barm64&to=4.7.1&arch=x86_64");
  assert.deepEqual([whole.from, whole.to, whole.arch], ["4.7.0-rc.1+arm64", "4.7.1", "x86_64"]);
});

test("answers are copied as text", () => {
  assert.equal(atVersionText("stable-4.7", "amd64", "4.6.8", atVersion(updates)), `Channel stable-4.7 (amd64): what a cluster at 4.6.8 may move to

Recommended
  4.6.23

Recommended only to clusters that none of these risks concerns
  4.7.0
    B  u
      b
    A  u
      a
      Concerns every cluster.

No update to
  4.6.42
    m  blocked-edges/a.yaml:2
  4.7.4
    no edge
`);
  assert.equal(pathsText("a", "b", { paths: [{ hops: [{ from: "a", to: "b", channel: "c", risks: ["R"] }] }] }),
    "From a to b\n\nPath 1: 1 update\n  a -> b  c  subject to R\n");
  assert.match(pathsText("a", "b", { paths: [], reason: "b is unknown" }), /no path: b is unknown/);
  assert.equal(problemsText([]), "No problems.\n");
  assert.equal(problemsText([{ kind: "k", message: "x\u202Ey", file: "f", line: 3 }]), "k  f:3\n  x\\u{202E}y\n");
  assert.equal(placeOf({ line: 3 }), "");
  assert.deepEqual(rulesInWords({ name: "", message: "", url: "", matchingRules: [{ type: "PromQL", promql: { promql: " up\n" } } as never, { type: "Other" }] }),
    ["Concerns clusters where this query gives 1: up", "Concerns clusters that match a rule of the type Other."]);
});

test("durations are in words", () => {
  for (const [seconds, text] of [[0, "0 seconds"], [1, "1 second"], [59, "59 seconds"], [60, "1 minute"], [7200, "2 hours"], [90000, "1 day"]] as const)
    assert.equal(inWords(seconds), text);
});
