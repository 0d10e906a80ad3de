// SPDX-License-Identifier: Apache-2.0

// Bundles the console, compresses each file once, and writes a C++ header with the bytes.
//
// usage: node build.mjs --modules NODE_MODULES --out DIR --header FILE
//
// DIR gets index.html and assets/ as a browser sees them, and bundled.json, the packages whose code is in them, for the bill of materials;
// FILE is what the module `console` embeds. The same sources and the same Node.js
// give the same bytes: gzip's header has no time and no name.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const sources = dirname(fileURLToPath(import.meta.url));
/** Browsers of late 2024: what a browser that is two years old understands. */
export const targets = ["chrome130", "firefox131", "safari18"];
/** All files together, compressed. */
const mostBytes = 250 * 1024;

function flag(name) {
  const at = process.argv.indexOf(name);
  if (at < 0 || at + 1 >= process.argv.length) throw new Error(`build.mjs needs ${name} PATH`);
  return resolve(process.argv[at + 1]);
}

const modules = flag("--modules");
const out = flag("--out");
const header = flag("--header");
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

const built = await esbuild.build({
  absWorkingDir: sources,
  entryPoints: { app: "src/main.tsx", style: "src/style.css" },
  outdir: join(out, "assets"),
  entryNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  format: "esm",
  target: targets,
  jsx: "automatic",
  jsxImportSource: "preact",
  nodePaths: [modules],
  legalComments: "none",
  charset: "utf8",
  write: false,
  metafile: true,
  logLevel: "warning",
});

/** Each file as it is served: its path below /console/, its media type, its bytes. */
const files = [];
const names = {};
for (const file of built.outputFiles) {
  const name = basename(file.path);
  const style = name.endsWith(".css");
  names[style ? "style" : "app"] = name;
  files.push({
    path: `assets/${name}`,
    type: style ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
    bytes: Buffer.from(file.contents),
  });
}
const hashOf = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 32);
const icon = readFileSync(join(sources, "icon.svg"));
names.icon = `icon-${hashOf(icon).slice(0, 8)}.svg`;
files.push({ path: `assets/${names.icon}`, type: "image/svg+xml", bytes: icon });
/** The packages whose code is in the bundle. Their licences ask that their texts go with it. */
const bundled = [...new Set(Object.keys(built.metafile.inputs).map((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]))]
  .filter((name) => name !== undefined)
  .sort()
  .map((name) => {
    const { version, license } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
    return { name, version, licence: license, text: readFileSync(join(modules, name, "LICENSE"), "utf8") };
  });
const licences = Buffer.from(bundled.map(({ name, version, text }) => `${name} ${version}\n\n${text.trim()}\n`).join("\n\n"));
names.licences = `licences-${hashOf(licences).slice(0, 8)}.txt`;
files.push({ path: `assets/${names.licences}`, type: "text/plain; charset=utf-8", bytes: licences });
let page = readFileSync(join(sources, "index.html"), "utf8");
// {{api}} and {{version}} are the server's.
for (const [what, name] of Object.entries(names)) page = page.replace(`{{${what}}}`, `assets/${name}`);
files.push({ path: "index.html", type: "text/html; charset=utf-8", bytes: Buffer.from(page) });

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "assets"), { recursive: true });
let total = 0;
for (const file of files) {
  file.gzip = gzipSync(file.bytes, { level: 9 });
  file.gzip[9] = 3; // The operating system in gzip's header: always Unix.
  file.hash = hashOf(file.bytes);
  total += file.gzip.length;
  writeFileSync(join(out, file.path), file.bytes);
  console.log(`console: ${file.path}: ${file.bytes.length} bytes, ${file.gzip.length} compressed`);
}
console.log(`console: ${total} bytes compressed in all`);
if (total > mostBytes) {
  console.error(`error: building the console: ${total} bytes compressed are over the limit of ${mostBytes}; leave something out`);
  process.exit(1);
}

writeFileSync(join(out, "bundled.json"), JSON.stringify(bundled.map(({ text, ...entry }) => entry), null, 1) + "\n");

const rows = (bytes) => {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 24) lines.push("    " + [...bytes.subarray(at, at + 24)].join(",") + ",");
  return lines.join("\n");
};
mkdirSync(dirname(header), { recursive: true });
writeFileSync(
  header,
  `// The files of the console, which console/build.mjs has bundled and compressed.
#pragma once
#include <array>
#include "console/internal/assets.h"
namespace fairway::console {
${files.map((file, i) => `inline constexpr unsigned char bytes_${i}[] = {\n${rows(file.gzip)}\n};`).join("\n")}
inline constexpr std::array<Asset, ${files.length}> embedded_files{{
${files.map((file, i) => `    {"${file.path}", "${file.type}", "${file.hash}", bytes_${i}},`).join("\n")}
}};
}
`,
);
