// SPDX-License-Identifier: Apache-2.0

// The page of a cluster: its questions by role and name, on a real operator; what it holds; and how it looks to axe.

import assert from "node:assert/strict";
import { before } from "node:test";
import { axe, closed, ending, opened, test, text } from "./browser.mjs";
import { Cluster, events, eventually, ScriptedOperator } from "./cluster.mjs";
import { hostile } from "./service.mjs";

let cluster;
/** A cluster whose update to 4.7.4 waits for a Deployment that nothing rolls out. */
let stuck;

before(async () => {
  [cluster, stuck] = await Promise.all([Cluster.start("calm"), Cluster.start("stuck")]);
  ending(cluster);
  ending(stuck);
  stuck.adm("--to", "4.7.4", "--allow-not-recommended");
  await eventually("the update waits", async () => (await stuck.status()).update.plan?.steps.some((step) => step.stage === "waiting"));
}, { timeout: 180_000 });

const region = (page, name) => page.getByRole("region", { name, exact: true });

test("how does the cluster stand: a sentence, version, channel, and what may be done with its command", async () => {
  const page = await opened(cluster);
  await text(page, "The cluster runs 4.6.23, and no update is under way.");
  for (const [fact, value] of [["Version", "4.6.23"], ["Channel", "stable-4.7"]])
    assert.equal(await page.locator("dl div", { has: page.getByRole("term").filter({ hasText: fact }) }).getByRole("definition").innerText(), value);
  const recommended = region(page, "Recommended");
  assert.equal(await recommended.getByRole("listitem").count(), 1);
  await recommended.getByText("fairway adm upgrade --to 4.6.43", { exact: true }).waitFor();
  await recommended.getByRole("link", { name: "https://example.com/4.6.43" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /update|upgrade/i }).count(), 0, "the page changes nothing");
  await closed(page);
});

test("why is 4.7.4 not recommended: the risk, its query, the series that decided, and when it is asked next", async () => {
  const page = await opened(cluster);
  const update = region(page, "Not recommended").getByRole("listitem").filter({ hasText: "4.7.4" });
  await update.getByText("Its risks concern this cluster.").waitFor();
  await update.getByText("Clusters of this kind lose what OldDisks says.").waitFor();
  await update.getByRole("link", { name: "Risks of 4.7.4: 2" }).click();
  await page.getByRole("heading", { name: "Risks of 4.7.4", level: 1 }).waitFor();
  const risks = region(page, "Risks").getByRole("listitem");
  const first = risks.first();
  await first.getByText("Concerns this cluster").waitFor();
  await first.getByText("Concerns clusters where this query gives 1: max by (type) (disks{type=\"old\"})").waitFor();
  assert.match(await first.innerText(), /Decided by \{type="old"\} with the value 1/);
  assert.match(await first.innerText(), /Evaluated \d+ \w+ \d{4}, \d\d:\d\d:\d\d \(.*\) by the evaluator local/);
  assert.match(await first.innerText(), /Asked next \d+ \w+ \d{4}, \d\d:\d\d:\d\d \(in .*\), at the earliest/);
  await first.getByText("fairway adm upgrade accept OldDisks", { exact: true }).waitFor();
  const second = risks.nth(1);
  await second.getByText("Does not concern this cluster").waitFor();
  assert.match(await second.innerText(), /Decided by \{type="http"\} with the value 0/);
  await text(page, "fairway adm upgrade --to 4.7.4 --allow-not-recommended");
  await page.reload();
  await page.getByRole("heading", { name: "Risks of 4.7.4", level: 1 }).waitFor();
  await closed(page);
});

test("why is my update stuck: one click to what it waits for, with the run levels", async () => {
  const page = await opened(stuck);
  await text(page, "The cluster is being updated to 4.7.4: 2 of 4 manifests are done.");
  await text(page, "It waits for deployment \"shop/web\": ");
  await page.getByRole("link", { name: "What the operator does now, and what it waits for" }).click();
  const waits = region(page, "What it waits for");
  const step = waits.getByRole("listitem").first();
  await step.getByText("deployment \"shop/web\"").first().waitFor();
  assert.match(await step.innerText(), /waits in run level 20 since/);
  assert.match(await step.innerText(), /0000_20_web_deployment\.yaml/);
  assert.equal(await page.getByRole("list", { name: "States of an update" }).locator("[aria-current=step]").innerText(), "applying");
  assert.match(await region(page, "What the operator does").innerText(), /applying since .*: It applies the manifests of the release\./);
  const levels = page.getByRole("list", { name: "Run levels" }).getByRole("listitem");
  assert.equal(await levels.count(), 4);
  assert.match(await levels.nth(1).innerText(), /Run level 10: 1 of 1 done/);
  assert.match(await levels.nth(2).innerText(), /Run level 20: 0 of 1 done\s+Not done: web/);
  await page.getByRole("progressbar", { name: "Run level 30: 0 of 1 done" }).waitFor();
  await text(page, "fairway adm upgrade --clear");
  await closed(page);
});

test("what ran here before, and what the conditions mean", async () => {
  const page = await opened(stuck, "#/history");
  const entries = page.getByRole("list", { name: "History, the newest first" }).getByRole("listitem");
  await entries.first().getByText("was begun and not completed; no signature was verified.").waitFor();
  assert.match(await entries.first().innerText(), /Risks that were accepted:[^]*OldDisks/);
  await entries.nth(1).getByText("was applied as a whole").waitFor();
  await page.getByRole("link", { name: "Conditions", exact: true }).click();
  const progressing = page.getByRole("listitem").filter({ hasText: "Progressing" });
  await progressing.getByText("A release is being applied.").waitFor();
  await progressing.getByText("Working towards 4.7.4: 2 of 4 done").waitFor();
  await closed(page);
});

test("what somebody changes arrives without a reload, and migrations with their progress", async () => {
  const page = await opened(cluster, "#/update");
  const migrations = region(page, "Migrations of stored objects");
  await migrations.getByText("None:").waitFor();
  const made = await cluster.api("POST", "/apis/pkg.knative.dev/v1alpha1/namespaces/default/conversions", {
    apiVersion: "pkg.knative.dev/v1alpha1", kind: "Conversion", metadata: { name: "gears" },
    spec: { group: "example.com", kind: "Gear", oldVersion: "v1alpha1", newVersion: "v1" },
  });
  const item = migrations.getByRole("listitem");
  await item.getByText("Gear of example.com").waitFor();
  await item.getByText("from v1alpha1 to v1").waitFor();
  await cluster.api("DELETE", `/apis/pkg.knative.dev/v1alpha1/namespaces/default/conversions/${made.metadata.name}`);
  await migrations.getByText("None:").waitFor();
  await closed(page);
});

test("an operator that dies: the page says since when, and goes on when it is back", async () => {
  const page = await opened(cluster, "#/risks");
  await text(page, "Concerns this cluster");
  await cluster.killOperator();
  await page.getByText(/No connection to the operator since \d\d:\d\d:\d\d/).waitFor();
  await text(page, "Concerns this cluster");
  cluster.startOperator();
  await page.getByText(/No connection to the operator since/).waitFor({ state: "detached" });
  cluster.adm("channel", "candidate-4.8", "--allow-explicit-channel");
  await page.getByRole("link", { name: "Cluster", exact: true }).click();
  await text(page, "candidate-4.8");
  cluster.adm("channel", "stable-4.7", "--allow-explicit-channel");
  await region(page, "Recommended").getByText("4.6.43").first().waitFor();
  await closed(page);
});

test("a view is copied as text and as JSON", async () => {
  const page = await opened(stuck, "#/update", { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy as JSON" }).click();
  await text(page, "Copied.");
  assert.equal(JSON.parse(await copied()).update.plan.steps[0].object, "deployment \"shop/web\"");
  await page.getByRole("button", { name: "Copy as text" }).click();
  await eventually("the text is copied", async () => /^The cluster is being updated to 4\.7\.4[^]*\n {2}waiting {2}deployment "shop\/web" {2}since /.test(await copied()));
  await closed(page);
});

/** A status in which whoever writes objects and graph data is hostile. */
function hostileStatus() {
  const evil = hostile.message;
  const name = "\u202E<img src=x onerror=window.broken=1>";
  const release = { version: name, image: evil, url: hostile.url, channels: [evil] };
  const condition = (type, status) => ({ type, status, reason: evil, message: `${evil} javascript:window.broken=1`, since: "no time <b>" });
  return {
    program: { version: evil, started: evil, leads: false },
    cluster: {
      found: true, ...release, channel: name, upstream: hostile.url, upstreamSetBy: "operator", current: true, desiredUpdate: { version: name, force: true, acceptRisks: [name] },
      available: [release, { ...release, version: "4.7.1; rm -rf /" }, { ...release, version: "--force" }], conditional: [{ ...release, risks: [name], recommended: condition("Recommended", "False") }],
      conditions: [condition("Failing", "True"), condition("__proto__", "True"), condition(name, "Unknown")],
      history: [{ state: evil, version: name, image: evil, verified: false, started: evil, completed: "2026-02-19T23:09:12Z", acceptedRisks: evil }],
    },
    risks: { time: evil, version: name, leftOut: 3, risks: [
      { name, url: hostile.url, message: evil, verdict: "matches", versions: [name], matchingRules: [{ type: "PromQL", promql: { promql: evil } }, { type: name }], value: evil, series: evil, error: evil, warnings: [evil], evaluator: evil, last: evil, next: evil, place: 1 },
      { name: "-f", url: hostile.page, message: evil, verdict: "failed", versions: [], matchingRules: [] }] },
    update: { states: [{ state: "applying", since: evil }], until: evil, plan: { version: name, mode: "updating", started: evil, ended: evil, outcome: "failed", total: 2, done: 1, leftOut: 1,
      levels: [{ level: name, total: 2, done: 1, failed: 1, active: 1, components: [evil, name], moreComponents: 1 }],
      steps: ["waiting", "failed", "running"].map((stage) => ({ name: `${name} ${stage}`, file: evil, object: name, level: evil, action: "apply", waitsFor: "rolled out", stage, since: evil, reason: evil, message: evil })) } },
    migrations: { leftOut: 0, migrations: [{ name, namespace: name, group: evil, kind: name, from: evil, to: name, dryRun: true, completed: false, done: 1, total: 2, leftOut: 3, waitingSince: evil, waitingFor: evil, lastError: evil, conditions: [condition("Completed", "Unknown")] }] },
  };
}

/** Has a page get a status in the place of the operator's. */
async function given(page, status) {
  await page.route("**/status/stream", (route) => route.fulfill({
    headers: { "Content-Type": "text/event-stream" },
    body: events(status),
  }));
}

const everyView = ["", "#/update", "#/risks", "#/risks?version=4.7.4", "#/conditions", "#/history"];

test("hostile objects and graph data are shown as text, and run nowhere", async () => {
  const page = await opened(cluster);
  await given(page, hostileStatus());
  for (const hash of [...everyView, `#/risks?${new URLSearchParams({ version: "\u202E<script>" })}`]) {
    // Loaded anew, so that nothing of the view before is there.
    await page.goto("about:blank");
    await page.goto(cluster.console + hash);
    await page.getByRole("button", { name: "Copy as text" }).waitFor();
    for (const details of await page.locator("main details").all()) await details.evaluate((element) => { element.open = true; });
    assert.equal(await page.evaluate(() => window.broken), undefined, hash);
    assert.equal(await page.locator("main img, main iframe, main script, main b").count(), 0, hash);
    for (const link of await page.getByRole("link").all()) assert.match(await link.evaluate((element) => element.href), /^https?:/);
    const shown = await page.locator("body").innerText();
    assert.doesNotMatch(shown, /[\u202a-\u202e\u2066-\u2069]/, hash);
    for (const command of await page.locator(".command code").allInnerTexts()) assert.match(command, /^fairway adm upgrade( why| --clear| channel CHANNEL)$/, hash);
    if (hash === "") assert.ok(shown.includes("\\u{202E}<img src=x onerror=window.broken=1>"), shown);
    if (hash === "#/update") assert.ok(shown.includes("<iframe src=javascript:parent.broken=1>"), shown);
  }
  page.faults = page.faults.filter((fault) => fault !== "asks about:blank");
  await closed(page);
});

test("an operator that answers with something else is said to be another program", async () => {
  for (const status of [{ cluster: [] }, { cluster: { found: true }, update: 7 }]) {
    const page = await opened(cluster);
    await given(page, status);
    await page.reload();
    await page.getByText(/No connection to the operator since/).waitFor();
    await closed(page);
  }
});

test("where there is nothing yet, each view says what to do", async () => {
  const page = await opened(cluster);
  const empty = { program: { version: "1", started: "2026-02-19T23:09:12Z", leads: true }, cluster: { found: false }, risks: { risks: [], leftOut: 0 }, update: { states: [] }, migrations: { migrations: [], leftOut: 0 } };
  await given(page, empty);
  for (const hash of everyView) {
    await page.goto("about:blank");
    await page.goto(cluster.console + hash);
    await text(page, "This cluster has no ClusterVersion version. Start the operator with --release VERSION=IMAGE");
  }
  page.faults = page.faults.filter((fault) => fault !== "asks about:blank");
  await closed(page);
});

/** A status in the middle of an update: `done` of 900 manifests, of which 100 wait. */
function updating(done) {
  const since = "2026-02-19T23:09:12Z";
  const step = (i) => ({ name: `step ${i}`, file: `0000_50_c${i}_deployment.yaml`, object: `deployment "n/d${i}"`, level: "50", component: `c${i}`, action: "apply", waitsFor: "rolled out", stage: "waiting", since, reason: "WorkloadNotAvailable", message: `${done} of 900 are ready` });
  return {
    program: { version: "1", started: since, leads: true },
    cluster: { found: true, version: "4.7.4", image: "i", upstreamSetBy: "operator", current: true, available: [], conditional: [], conditions: [], history: [{ state: "Partial", version: "4.7.4", image: "i", verified: true, started: since }] },
    risks: { risks: [], leftOut: 0 },
    update: { states: [{ state: "applying", since }], plan: { version: "4.7.4", mode: "updating", started: since, total: 900, done, leftOut: 0, levels: [{ level: "50", total: 900, done, failed: 0, active: 100, components: [], moreComponents: 0 }], steps: Array.from({ length: 100 }, (_, i) => step(done + i)) } },
    migrations: { migrations: [], leftOut: 0 },
  };
}

test("a stream that breaks within an event: the rest of it is not shown, and the next one is", async () => {
  const scripted = ending(await ScriptedOperator.start(cluster));
  const page = await opened(scripted, "#/update");
  const first = await scripted.stream();
  first.write(events(updating(7)));
  await text(page, "Release 4.7.4: The release is applied, level after level. 7 of 900 manifests are done.");
  first.write(events({ update: updating(8).update }).slice(0, 500));
  first.destroy();
  await page.getByText(/No connection to the operator since/).waitFor();
  await text(page, "7 of 900 manifests are done.");
  const second = await scripted.stream(2);
  second.write(events(updating(9)));
  await text(page, "9 of 900 manifests are done.");
  await page.getByText(/No connection to the operator since/).waitFor({ state: "detached" });
  await closed(page);
});

test("many changes leave no memory behind", async () => {
  const scripted = ending(await ScriptedOperator.start(cluster));
  const page = await opened(scripted, "#/update");
  const stream = await scripted.stream();
  const devtools = await page.context().newCDPSession(page);
  const used = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await devtools.send("Runtime.getHeapUsage");
    return usedSize / 1e6;
  };
  const changes = async (count) => {
    for (let i = 1; i <= count; ++i) {
      stream.write(events({ update: updating(i % 700).update }));
      if (i % 20 === 0) await page.evaluate(() => new Promise((done) => setTimeout(done, 0)));
    }
    stream.write(events({ update: updating(701).update }));
    await text(page, "701 of 900 manifests are done.");
  };
  stream.write(events(updating(0)));
  await changes(100);
  const before = await used();
  await changes(500);
  const after = await used();
  console.log(`heap after 100 changes: ${before.toFixed(1)} MB, after 600: ${after.toFixed(1)} MB`);
  assert.ok(after < before + 5, `${before} MB, ${after} MB`);
  await closed(page);
});

test("a replica that does not lead says that it does not know all", async () => {
  const page = await opened(cluster);
  const whole = await cluster.status();
  await given(page, { ...whole, program: { ...whole.program, leads: false }, risks: { risks: [], leftOut: 0 }, update: { states: [] } });
  await page.reload();
  await text(page, "This replica of the operator does not lead");
  await text(page, "The cluster runs 4.6.23, and no update is under way.");
  await page.getByRole("link", { name: "Update", exact: true }).click();
  await text(page, "The operator has not begun to look at updates: it starts, or another replica leads.");
  await closed(page);
});

test("while its tab is hidden the page holds no stream", async () => {
  const page = await opened(cluster);
  await text(page, "The cluster runs 4.6.23");
  const hide = (hidden) => page.evaluate((now) => {
    Object.defineProperty(document, "hidden", { value: now, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/status/stream"));
  await hide(true);
  await ended;
  const opens = page.waitForRequest("**/status/stream");
  await hide(false);
  await opens;
  await closed(page);
});

for (const [colorScheme, width] of [["light", 1280], ["dark", 360]]) {
  test(`axe finds nothing in any view of a cluster, and nothing is wider than the page (${colorScheme}, ${width} px)`, async () => {
    for (const [of, views] of [[cluster, ["", "#/risks?version=4.7.4"]], [stuck, everyView.filter((hash) => !hash.includes("?"))]]) {
      const page = await opened(of, "", { colorScheme, viewport: { width, height: 800 }, reducedMotion: "reduce" });
      for (const hash of views) {
        await page.goto(of.console + hash);
        await page.getByRole("button", { name: "Copy as text" }).waitFor();
        for (const details of await page.locator("details").all()) await details.evaluate((element) => { element.open = true; });
        await page.evaluate(axe);
        const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
        assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), [], hash);
        assert.ok(found.passes.length > 10, "axe looked at something");
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${hash} is wider than ${width} px`);
      }
      await closed(page);
    }
  });
}

test("by keyboard alone: from the first page to what the update waits for", async () => {
  const page = await opened(stuck);
  await text(page, "The cluster is being updated to 4.7.4");
  for (let i = 0; i < 40 && (await page.evaluate(() => document.activeElement?.textContent?.trim())) !== "What the operator does now, and what it waits for"; ++i)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Update", level: 1 }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  await region(page, "What it waits for").getByText("deployment \"shop/web\"").first().waitFor();
  await closed(page);
});
