// SPDX-License-Identifier: Apache-2.0

// Writes TypeScript types of the update service's API from its OpenAPI document.
//
// usage: node scripts/api_types.mjs [--check]
//
// The document is the text in src/updateservice/internal/api/openapi_text.h, against which a test of the service holds its answers. Without
// --check the types go to src/api/types.ts; with it, a difference is an error.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const header = join(folder, "../src/updateservice/internal/api/openapi_text.h");
export const typesFile = join(folder, "src/api/types.ts");

/** Returns the OpenAPI document out of the C++ header: its raw strings, one after another. */
export function readDocument() {
  const text = readFileSync(header, "utf8");
  const parts = [...text.matchAll(/R"json\(([\s\S]*?)\)json"/g)].map((match) => match[1]);
  if (parts.length === 0) throw new Error(`${header} has no raw string R"json(...)json" with the OpenAPI document`);
  return JSON.parse(parts.join(""));
}

/** Returns the TypeScript type of a schema. A keyword that this does not know is an error, so that none is lost. */
function typeOf(schema, indent) {
  const known = new Set(["type", "properties", "required", "items", "additionalProperties", "enum", "const", "description", "$ref",
    "minimum", "maxItems", "minItems", "pattern"]);
  for (const keyword of Object.keys(schema)) {
    if (!known.has(keyword)) throw new Error(`the OpenAPI document uses the keyword ${keyword}; teach scripts/api_types.mjs to read it`);
  }
  if (schema.$ref) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  switch (schema.type) {
    case "string": return "string";
    case "integer": return "number";
    case "boolean": return "boolean";
    case "array": {
      const item = typeOf(schema.items, indent);
      if (schema.minItems !== undefined && schema.minItems === schema.maxItems) return `[${Array(schema.minItems).fill(item).join(", ")}]`;
      return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
    }
    case "object": {
      if (!schema.properties) {
        return `Record<string, ${schema.additionalProperties ? typeOf(schema.additionalProperties, indent) : "unknown"}>`;
      }
      const inner = indent + "  ";
      const required = new Set(schema.required ?? []);
      const members = Object.entries(schema.properties)
        .map(([name, member]) => `${inner}${name}${required.has(name) ? "" : "?"}: ${typeOf(member, inner)};`);
      return `{\n${members.join("\n")}\n${indent}}`;
    }
    default: throw new Error(`the OpenAPI document has a schema of the type ${schema.type}; teach scripts/api_types.mjs to read it`);
  }
}

/** Returns the text of the types of a document: one for each of its schemas, and the paths that there are. */
export function typesText(document) {
  const lines = ["// SPDX-License-Identifier: Apache-2.0", "",
    "// Types of the update service's API. Written by scripts/api_types.mjs from the OpenAPI document; do not edit.", ""];
  for (const [name, schema] of Object.entries(document.components.schemas)) lines.push(`export type ${name} = ${typeOf(schema, "")};`);
  const paths = Object.keys(document.paths).filter((path) => !path.includes("{"));
  lines.push("", "/** A path of the API, below its prefix. */", `export type ApiPath = ${paths.map((path) => JSON.stringify(path)).join(" | ")};`);
  return lines.join("\n") + "\n";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = typesText(readDocument());
  if (process.argv.includes("--check")) {
    if (readFileSync(typesFile, "utf8") !== text) {
      console.error("error: console/src/api/types.ts is not what the OpenAPI document says; run: node console/scripts/api_types.mjs");
      process.exit(1);
    }
  } else {
    writeFileSync(typesFile, text);
  }
}
