// SPDX-License-Identifier: Apache-2.0

// What the console holds: hostile text runs nowhere, a service may die, graph data may change, credentials stay in memory.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { answered, closed, opened, started, test, text } from "./browser.mjs";
import { examples, graphOf, hostile, hostileGraph, work } from "./service.mjs";

test("hostile text is shown as text, and runs nowhere", async () => {
  const evil = await started(hostileGraph());
  for (const hash of ["", "#/channel?channel=stable-4.7", "#/at?channel=stable-4.7&from=4.7.0&to=4.7.1", "#/graph?channel=stable-4.7&from=4.7.0",
    "#/path?channel=stable-4.7&from=4.7.0&to=4.7.1", "#/problems",
    `#/at?${new URLSearchParams({ channel: "<img src=x onerror=broken=1>", from: "\u202E<script>", arch: "<b>" })}`,
    ...["at", "graph", "path"].map((view) => `#/${view}?${new URLSearchParams({ channel: "stable-4.7", from: "4.7.0", to: "4.7.1\u202Egnp" })}`),
    `#/path?${new URLSearchParams({ channel: "stable-4.7", from: "4.7.0", to: "4.7.1", avoid: "\u202E<b>x" })}`]) {
    const page = await opened(evil, hash);
    await answered(page);
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
    await page.getByRole("button", { name: "Sign in with the token" }).click();
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
