// SPDX-License-Identifier: Apache-2.0

// The console in a browser, on real services: each question by role and name, as people and screen readers find them.
//
// FAIRWAY_BINARY is the program, FAIRWAY_ROOT the checkout, FAIRWAY_BROWSER a Chromium, FAIRWAY_NODE_MODULES the packages of console/.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test as named } from "node:test";
import { cleanUp, examples, graphOf, hostile, hostileGraph, Service, work } from "./service.mjs";

const load = createRequire(join(process.env.FAIRWAY_NODE_MODULES, "x.js"));
const { chromium } = load("playwright-core");
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const patience = 20_000;
const test = (name, run) => named(name, { timeout: 90_000 }, run);

let browser;
let service;
const services = [];

async function started(...arguments_) {
  const one = await Service.start(...arguments_);
  services.push(one);
  return one;
}

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.FAIRWAY_BROWSER, args: ["--no-sandbox", "--disable-gpu"] });
  service = await started(examples);
});
after(async () => {
  await browser?.close();
  await Promise.all(services.map((one) => one.kill()));
  cleanUp();
});

/** Opens a page of the console; whatever it loads from elsewhere, logs as an error or throws is in `faults`. */
async function opened(of, hash = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  page.faults = [];
  page.on("request", (request) => {
    if (new URL(request.url()).host !== of.address) page.faults.push(`asks ${request.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) page.faults.push(message.text());
  });
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("dialog", (dialog) => {
    page.faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(of.console + hash);
  return page;
}

async function closed(page) {
  assert.deepEqual(page.faults, []);
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.context().close();
}

const text = (page, name) => page.getByText(name).first().waitFor();

test("which channels are there: a list with descriptions, which a search filters", async () => {
  const page = await opened(service);
  await page.getByRole("link", { name: "candidate-4.7" }).waitFor();
  assert.equal(await page.getByRole("main").getByRole("listitem").count(), 4);
  await text(page, "Every 4.7 release as soon as it is built");
  await page.getByRole("searchbox", { name: "Find a channel" }).fill("stable");
  await text(page, "2 found");
  assert.equal(await page.getByRole("main").getByRole("listitem").count(), 2);
  assert.match(page.url(), /search=stable/);
  await page.reload();
  await text(page, "2 found");
  await page.getByRole("searchbox").fill("nothing like this");
  await text(page, "No channel has this in its name");
  await closed(page);
});

test("may I go to 4.7.4, and why not: three clicks from the first page", async () => {
  const page = await opened(service);
  let clicks = 0;
  const click = async (name) => {
    await page.getByRole("main").getByRole("link", { name, exact: true }).first().click();
    ++clicks;
  };
  await click("stable-4.7");
  await page.getByRole("heading", { name: "What may a cluster do?" }).waitFor();
  for (const [fact, value] of [["Releases", "6"], ["Updates", "11"], ["Highest", "4.7.9"]])
    assert.equal(await page.locator("dl div", { has: page.getByRole("term").filter({ hasText: fact }) }).getByRole("definition").innerText(), value);
  await click("4.6.8");
  await page.getByRole("region", { name: "Recommended", exact: true }).waitFor();
  await click("4.7.4");
  await text(page, "It depends: the update from 4.6.8 to 4.7.4 is recommended only to clusters that none of these risks concerns");
  assert.equal(clicks, 3);
  await page.getByText("With a proxy configured, the authentication operator leaves connections").first().waitFor();
  const link = page.getByRole("link", { name: "https://example.com/risks/auth-connection-leak" }).first();
  assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
  await text(page, "Concerns clusters where this query gives 1: max(cluster_proxy_enabled");
  await closed(page);
});

test("why is an update missing: reasons with file and line, the blocked ones first", async () => {
  const page = await opened(service, "#/at?channel=stable-4.7&from=4.6.8");
  const missing = page.getByRole("region", { name: "No update to these" });
  const first = missing.getByRole("listitem").first();
  await first.waitFor();
  assert.match(await first.innerText(), /4\.6\.42\s+blocked-edges\/4\.6\.42-from-4\.6\.8\.yaml removes updates to 4\.6\.42/);
  assert.match(await first.getByRole("code").innerText(), /^blocked-edges\/4\.6\.42-from-4\.6\.8\.yaml:\d+$/);
  await page.getByLabel("May I go to").fill("4.6.42");
  await page.getByRole("button", { name: "Answer" }).click();
  await text(page, "No: there is no update from 4.6.8 to 4.6.42");
  await page.getByLabel("I am at").fill("9.9.9");
  await page.getByRole("button", { name: "Answer" }).click();
  await text(page, "there is no release 9.9.9 for amd64");
  await closed(page);
});

test("the graph: columns of minor versions, edges of the selected release in three styles, and keys", async () => {
  const page = await opened(service, "#/graph?channel=stable-4.7");
  await page.getByRole("button", { name: "4.6.8", exact: true }).click();
  await page.getByRole("region", { name: "Blocked: taken away by graph data" }).getByRole("link", { name: "4.6.8 to 4.6.42" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "4.6.8", exact: true }).getAttribute("aria-pressed"), "true");
  for (const [kind, count] of [["recommended", 2], ["conditional", 1], ["blocked", 1]])
    assert.equal(await page.locator(`.canvas > svg > path.${kind}`).count(), count, kind);
  const dashes = await page.evaluate(() => ["recommended", "conditional", "blocked"].map((kind) => getComputedStyle(document.querySelector(`.canvas > svg > path.${kind}`)).strokeDasharray));
  assert.equal(new Set(dashes).size, 3, "line styles that need no color");
  await page.getByRole("button", { name: "4.7.4 update from 4.6.8: conditional" }).waitFor();
  await page.getByRole("link", { name: "Updates to 4.6.8" }).click();
  await text(page, "No update leads to 4.6.8 in this channel");
  // By keys alone: to the selected release, down, and select.
  await page.getByRole("button", { name: "4.6.8", exact: true }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/from=4\.6\.23/);
  assert.equal(await page.evaluate(() => document.activeElement?.dataset.version), "4.6.23");
  await page.getByRole("searchbox", { name: "Find a release" }).fill("4.7");
  await text(page, "2 found");
  await closed(page);
});

test("from 4.6.8 to 4.7.9: paths with their risks, which a click avoids", async () => {
  const page = await opened(service, "#/path?channel=stable-4.7");
  await text(page, "Choose where the cluster is");
  await page.getByLabel("From", { exact: true }).fill("4.6.8");
  await page.getByLabel("To", { exact: true }).fill("4.7.9");
  await page.getByRole("button", { name: "Find paths" }).click();
  await page.getByRole("heading", { name: "Path 1: 2 updates, no risks" }).waitFor();
  const second = page.getByRole("region", { name: "Path 2: 2 updates, 3 risks" });
  await second.getByRole("group").filter({ hasText: "AuthOAuthProxyLeakedConnections" }).getByText("AuthOAuthProxyLeakedConnections").first().click();
  await second.getByRole("link", { name: "Avoid AuthOAuthProxyLeakedConnections" }).click();
  await page.getByRole("link", { name: "Allow AuthOAuthProxyLeakedConnections" }).first().waitFor();
  await page.getByRole("heading", { name: "Path 1: 2 updates, no risks" }).waitFor();
  await second.waitFor({ state: "detached" });
  await page.getByLabel("From", { exact: true }).fill("4.7.9");
  await page.getByLabel("To", { exact: true }).fill("4.6.8");
  await page.getByRole("button", { name: "Find paths" }).click();
  await text(page, "There is no path");
  await closed(page);
});

test("what was not understood: problems with place and remedy", async () => {
  const broken = await started(graphOf("broken", {
    "channels/stable-4.7.yaml": "name: stable-4.7\nversions: [4.7.0, 4.7.1]\n",
    "blocked-edges/4.7.1.yaml": "to: 4.7.1\nfrom: (\n",
  }, [["4.7.0", []], ["4.7.1", ["4.7.0"]]]));
  const page = await opened(broken, "#/problems");
  const problem = page.getByRole("listitem").filter({ hasText: "blocked-edge-not-understood" });
  await problem.getByText("is not a regular expression").waitFor();
  assert.equal(await problem.getByRole("code").innerText(), "blocked-edges/4.7.1.yaml:2");
  await problem.getByText("To do: Correct the file").waitFor();
  await closed(page);
});

test("an answer is copied as text and as JSON, or shown where the browser refuses", async () => {
  const page = await opened(service, "#/at?channel=stable-4.7&from=4.6.8", { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy as JSON" }).click();
  await text(page, "Copied.");
  assert.equal(JSON.parse(await copied()).updates.length, 5);
  await page.getByRole("button", { name: "Copy as text" }).click();
  const heading = /^Channel stable-4\.7 \(amd64\): what a cluster at 4\.6\.8 may move to\n/;
  await assert.doesNotReject(async () => {
    while (!heading.test(await copied())) await new Promise((done) => setTimeout(done, 50));
  });
  // As without TLS on another machine.
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.getByRole("button", { name: "Copy as text" }).click();
  await text(page, "The browser does not let this page copy");
  assert.match(await page.getByRole("textbox", { name: "The answer, to copy by hand" }).inputValue(), heading);
  await closed(page);
});

test("an empty state says what to do", async () => {
  const page = await opened(service, "#/channel?channel=stable-9.9");
  await text(page, "has no releases for amd64 that you may see");
  writeFileSync(join(work, "all.yaml"), "rules:\n- pattern: '*'\n");
  const empty = await started([...examples, "--private-channels", join(work, "all.yaml"), "--console"]);
  const second = await opened(empty);
  await text(second, "There are no channels that you may see");
  await Promise.all([closed(page), closed(second)]);
});

test("hostile text is shown as text, and runs nowhere", async () => {
  const evil = await started(hostileGraph());
  for (const hash of ["", "#/channel?channel=stable-4.7", "#/at?channel=stable-4.7&from=4.7.0&to=4.7.1", "#/graph?channel=stable-4.7&from=4.7.0",
    "#/path?channel=stable-4.7&from=4.7.0&to=4.7.1", "#/problems",
    `#/at?${new URLSearchParams({ channel: "<img src=x onerror=broken=1>", from: "\u202E<script>", arch: "<b>" })}`,
    `#/path?${new URLSearchParams({ channel: "stable-4.7", from: "4.7.0", to: "4.7.1", avoid: "\u202E<b>x" })}`]) {
    const page = await opened(evil, hash);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    for (const details of await page.locator("main details").all()) await details.evaluate((element) => { element.open = true; });
    assert.equal(await page.evaluate(() => window.broken), undefined, hash);
    assert.equal(await page.locator("main img, main iframe, main script, main b").count(), 0, hash);
    for (const link of await page.getByRole("link").all()) assert.match(await link.evaluate((element) => element.href), /^https?:/);
    const shown = await page.locator("body").innerText();
    assert.doesNotMatch(shown, /[\u202a-\u202e\u2066-\u2069]/, hash);
    if (hash === "") assert.ok(shown.includes(hostile.description.replace("\u202E", "\\u{202E}").replace("\u202C", "\\u{202C}")), shown);
    if (hash.includes("/at?channel=stable-4.7&from=4.7.0")) {
      assert.ok(shown.includes(hostile.url), shown);
      assert.ok(shown.includes("<iframe src=javascript:parent.broken=1>"), shown);
    }
    await closed(page);
  }
});

test("a service that dies: the page says since when, and goes on when it is back", async () => {
  const dying = await started(examples);
  const page = await opened(dying, "#/at?channel=stable-4.7&from=4.6.8");
  await page.getByRole("region", { name: "Recommended", exact: true }).waitFor();
  await dying.kill();
  await page.getByText(/No connection to the service since \d\d:\d\d:\d\d/).waitFor();
  await page.getByRole("region", { name: "Recommended", exact: true }).waitFor();
  await started(examples, dying.address);
  await page.getByText(/No connection to the service since/).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Graph", exact: true }).click();
  await page.getByRole("button", { name: "4.6.8", exact: true }).waitFor();
  await closed(page);
});

test("a change of graph data arrives without a reload", async () => {
  const flags = graphOf("changing", { "channels/stable-4.7.yaml": "name: stable-4.7\nversions: [4.7.0, 4.7.1]\n" }, [["4.7.0", []], ["4.7.1", ["4.7.0"]]]);
  const changing = await started(flags);
  const page = await opened(changing, "#/at?channel=stable-4.7&from=4.7.0&to=4.7.1");
  await text(page, "Yes: the update from 4.7.0 to 4.7.1 is recommended");
  writeFileSync(join(work, "changing/data/channels/new-4.7.yaml"), "name: new-4.7\nversions: [4.7.0]\n");
  writeFileSync(join(work, "changing/data/channels/stable-4.7.yaml"), "name: stable-4.7\nversions: [4.7.0]\n");
  await text(page, "No: the channel has no release 4.7.1");
  await closed(page);
});

test("private channels: credentials open them, stay in memory, and go with a reload", async () => {
  writeFileSync(join(work, "rules.yaml"), "rules:\n- pattern: candidate-*\n  bearer:\n  - token: a-long-random-token\n");
  const hidden = await started([...examples, "--private-channels", join(work, "rules.yaml"), "--console"]);
  const page = await opened(hidden);
  await page.getByRole("link", { name: "stable-4.7" }).waitFor();
  const sign = async (token) => {
    await page.getByText("Sign in").first().click();
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await sign("wrong");
  await page.getByRole("alert").filter({ hasText: "the credentials are wrong" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await sign("a-long-random-token");
  await page.getByRole("link", { name: "candidate-4.7" }).waitFor();
  assert.deepEqual(await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage), location.href.includes("token")]), [[], [], false]);
  assert.ok(!(await page.content()).includes("a-long-random-token"));
  await page.reload();
  await page.getByRole("link", { name: "stable-4.7" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "candidate-4.7" }).count(), 0);
  await closed(page);
});

const everyView = ["", "#/channel?channel=stable-4.7", "#/at?channel=stable-4.7&from=4.6.8&to=4.7.4", "#/graph?channel=stable-4.7&from=4.6.8",
  "#/path?channel=stable-4.7&from=4.6.8&to=4.7.9", "#/problems", "#/channel?channel=none"];

for (const [colorScheme, width] of [["light", 1280], ["dark", 360]]) {
  test(`axe finds nothing in any view, and nothing is wider than the page (${colorScheme}, ${width} px)`, async () => {
    const page = await opened(service, "", { colorScheme, viewport: { width, height: 800 }, reducedMotion: "reduce" });
    for (const hash of everyView) {
      await page.goto(service.console + hash);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      await page.getByText("Loading …").waitFor({ state: "detached" });
      for (const details of await page.locator("details").all()) await details.evaluate((element) => { element.open = true; });
      await page.evaluate(axe);
      const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
      assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), [], hash);
      assert.ok(found.passes.length > 10, "axe looked at something");
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${hash} is wider than ${width} px`);
    }
    await closed(page);
  });
}

test("by keyboard alone: from the first page to the answer", async () => {
  const page = await opened(service);
  await page.getByRole("link", { name: "stable-4.7" }).waitFor();
  const reach = async (name) => {
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate(() => document.activeElement?.textContent?.trim())) === name) return;
    }
    assert.fail(`Tab does not reach ${name}`);
  };
  await reach("stable-4.7");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Channel · stable-4.7" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H1", "the heading of the new view has the focus");
  await reach("4.6.8");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "I am at a release" }).waitFor();
  await reach("4.7.4");
  await page.keyboard.press("Enter");
  await text(page, "It depends");
  await closed(page);
});

test("the first paint comes within 300 ms on loopback", async () => {
  const times = [];
  for (let i = 0; i < 5; ++i) {
    const page = await opened(service);
    await page.getByRole("link", { name: "stable-4.7" }).waitFor();
    times.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity));
    await closed(page);
  }
  console.log(`first contentful paint: ${times.map((time) => Math.round(time)).join(", ")} ms`);
  // The best of five: others may work on this machine.
  assert.ok(Math.min(...times) < 300, `${times}`);
});
