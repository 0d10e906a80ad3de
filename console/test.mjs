// SPDX-License-Identifier: Apache-2.0

// Checks the types of the console, and runs its unit tests by Node's own runner.
//
// usage: node test.mjs --modules NODE_MODULES
//
// The tests are TypeScript: each file of test/ is bundled first.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.argv[process.argv.indexOf("--modules") + 1] ?? join(folder, "node_modules"));
const esbuild = createRequire(join(modules, "x.js"))("esbuild");
const work = mkdtempSync(join(tmpdir(), "fairway-console-"));
let status = 0;
try {
  writeFileSync(
    join(work, "tsconfig.json"),
    JSON.stringify({
      extends: join(folder, "tsconfig.json"),
      compilerOptions: { paths: { "*": [join(modules, "*")] }, jsxImportSource: "preact" },
      include: [join(folder, "src")],
    }),
  );
  const compiler = join(modules, "typescript/bin/tsc");
  status = spawnSync(process.execPath, [compiler, "-p", work], { stdio: "inherit" }).status ?? 1;
  await esbuild.build({
    absWorkingDir: folder,
    entryPoints: readdirSync(join(folder, "test"))
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join("test", name)),
    outdir: work,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    nodePaths: [modules],
    define: { CONSOLE_FOLDER: JSON.stringify(folder) },
    logLevel: "warning",
  });
  const tests = readdirSync(work).filter((name) => name.endsWith(".test.mjs")).map((name) => join(work, name));
  status ||= spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...tests], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit(status);
