// SPDX-License-Identifier: Apache-2.0

// Pages of the console in Chromium. Whatever a page loads from elsewhere, logs as an error or throws is a fault.
//
// FAIRWAY_BINARY is the program, FAIRWAY_ROOT the checkout, FAIRWAY_BROWSER a Chromium, FAIRWAY_NODE_MODULES the packages of console/.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test as named } from "node:test";
import { cleanUp, examples, Service } from "./service.mjs";

const load = createRequire(join(process.env.FAIRWAY_NODE_MODULES, "x.js"));
const { chromium } = load("playwright-core");
/** The text of axe-core. */
export const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const patience = 20_000;
export const test = (name, run) => named(name, { timeout: 90_000 }, run);

let browser;
const services = [];

/** Ends something with the tests of this file: what has `kill`. */
export function ending(one) {
  services.push(one);
  return one;
}

/** Starts a service that ends with the tests of this file. */
export async function started(...arguments_) {
  return ending(await Service.start(...arguments_));
}

/** The service of the examples. */
export let service;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.FAIRWAY_BROWSER, args: ["--no-sandbox", "--disable-gpu"] });
  service = await started(examples);
});
after(async () => {
  await browser?.close();
  await Promise.all(services.map((one) => one.kill()));
  cleanUp();
});

/** Opens a page of the console, with `faults`. */
export async function opened(of, hash = "", options = {}) {
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

/** Closes a page that has had no faults. */
export async function closed(page) {
  assert.deepEqual(page.faults, []);
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.context().close();
}

/** Waits for a text. */
export const text = (page, name) => page.getByText(name).first().waitFor();

/** Waits until the page has the answers to its questions. */
export async function answered(page) {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
}
