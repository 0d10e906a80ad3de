// SPDX-License-Identifier: Apache-2.0

// Writes TypeScript types of the APIs that the console asks from their OpenAPI documents.
//
// usage: node scripts/api_types.mjs [--check]
//
// The documents are texts in C++ headers, against which tests hold the answers. Without --check the types go to src/api; with it, a
// difference is an error.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
/** Each API: whose it is, the header with its document, the file of its types, and the name of the type of its paths. */
export const apis = [
  { of: "the update service's API", header: join(folder, "../src/updateservice/internal/api/openapi_text.h"), types: join(folder, "src/api/types.ts"), paths: "ApiPath" },
  { of: "the operator's API about its cluster", header: join(folder, "../src/operators/internal/status_openapi_text.h"), types: join(folder, "src/api/cluster_types.ts"), paths: "ClusterPath" },
];

/** Returns the OpenAPI document of an API out of the C++ header: its raw strings, one after another. */
export function readDocument({ header }) {
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

/** Returns the text of the types of an API: one for each schema of its document, and the paths that there are. */
export function typesText(api, document = readDocument(api)) {
  const lines = ["// SPDX-License-Identifier: Apache-2.0", "",
    `// Types of ${api.of}. Written by scripts/api_types.mjs from the OpenAPI document; do not edit.`, ""];
  for (const [name, schema] of Object.entries(document.components.schemas)) lines.push(`export type ${name} = ${typeOf(schema, "")};`);
  const paths = Object.keys(document.paths).filter((path) => !path.includes("{"));
  lines.push("", "/** A path of the API, below its prefix. */", `export type ${api.paths} = ${paths.map((path) => JSON.stringify(path)).join(" | ")};`);
  return lines.join("\n") + "\n";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const api of apis) {
    const text = typesText(api);
    if (!process.argv.includes("--check")) {
      writeFileSync(api.types, text);
    } else if (readFileSync(api.types, "utf8") !== text) {
      console.error(`error: ${api.types} is not what the OpenAPI document says; run: node console/scripts/api_types.mjs`);
      process.exit(1);
    }
  }
}
