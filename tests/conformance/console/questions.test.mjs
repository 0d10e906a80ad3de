// SPDX-License-Identifier: Apache-2.0

// Each question that people ask, by role and name, as they and screen readers find the answer.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { closed, opened, service, started, test, text } from "./browser.mjs";
import { examples, graphOf, work } from "./service.mjs";

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
