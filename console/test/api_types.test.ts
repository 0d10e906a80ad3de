// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { remedies } from "../src/view/problem_kinds";

const folder = CONSOLE_FOLDER;

test("the types of the API are those of the OpenAPI document", async () => {
  const writer = await import(pathToFileURL(join(folder, "scripts/api_types.mjs")).href);
  assert.equal(writer.apis.length, 2);
  for (const api of writer.apis) assert.equal(readFileSync(api.types, "utf8"), writer.typesText(api), "run: node console/scripts/api_types.mjs");
  const [api] = writer.apis;
  const changed = writer.readDocument(api);
  changed.components.schemas.Node.properties.another = { type: "string" };
  assert.notEqual(writer.typesText(api, changed), writer.typesText(api));
  changed.components.schemas.Node.properties.another = { type: "string", format: "uri" };
  assert.throws(() => writer.typesText(api, changed), /keyword format/);
});

test("there is something to do about each kind of problem that docs/metrics.md has", () => {
  const page = readFileSync(join(folder, "../docs/metrics.md"), "utf8");
  const table = page.slice(page.indexOf("## Kinds of problems")).split("\n## ")[0]!;
  const kinds = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1]!);
  assert.ok(kinds.length > 10);
  assert.deepEqual(Object.keys(remedies).sort(), kinds.sort());
});
