// SPDX-License-Identifier: Apache-2.0

// Real update services on loopback, and graph data for them, of which some is hostile.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const binary = process.env.FAIRWAY_BINARY;
const root = process.env.FAIRWAY_ROOT;
export const work = mkdtempSync(join(tmpdir(), "fairway-console-browser-"));
export const examples = ["--releases", join(root, "examples/releases.json"), "--graph-data", join(root, "examples/graph-data")];

/** A running `fairway serve`. */
export class Service {
  /** Starts one; `listen` is 127.0.0.1:PORT, with 0 for any port. Returns when it has a graph. */
  static async start(flags, listen = "127.0.0.1:0") {
    const service = new Service();
    service.process = spawn(binary, ["serve", ...flags, "--listen", listen, "--status-listen", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
    service.log = "";
    await new Promise((done, failed) => {
      service.process.stderr.on("data", (bytes) => {
        service.log += bytes;
        const match = / serving address=(\S+?)\/api\/upgrades_info status=(\S+)/.exec(service.log);
        if (match) {
          [, service.address, service.status] = match;
          done();
        }
      });
      service.process.on("exit", () => failed(new Error(`fairway serve ended: ${service.log}`)));
    });
    for (const end = Date.now() + 30_000; Date.now() < end; ) {
      if ((await fetch(`http://${service.status}/readyz`)).ok) return service;
      await new Promise((done) => setTimeout(done, 50));
    }
    await service.kill();
    throw new Error(`fairway serve has no graph: ${service.log}`);
  }

  get console() {
    return `http://${this.address}/console/`;
  }

  /** Ends it, as a machine that fails does. */
  async kill() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill("SIGKILL");
    await once(this.process, "exit");
  }
}

/** Writes graph data, path by path, and a list of releases: version, those that it can be updated from, metadata and image. Returns flags. */
export function graphOf(name, files, releases) {
  const folder = join(work, name);
  for (const [path, text] of Object.entries({ version: "1.2.0\n", ...files })) {
    mkdirSync(dirname(join(folder, "data", path)), { recursive: true });
    writeFileSync(join(folder, "data", path), text);
  }
  const list = releases.map(([version, previous, metadata = {}, image = undefined], i) => ({
    kind: "cincinnati-metadata-v0", version, previous, next: [], metadata,
    image: image ?? `registry.example.com/release@sha256:${String(i + 1).padStart(64, "0")}`,
  }));
  writeFileSync(join(folder, "releases.json"), JSON.stringify({ arch: "amd64", releases: list }));
  return ["--releases", join(folder, "releases.json"), "--graph-data", join(folder, "data")];
}

/** What a hostile service says: markup, script, characters that turn text around, addresses that run. */
export const hostile = {
  description: "<img src=x onerror=\"window.broken=1\"><script>window.broken=1</script> \u202Egnp.exe\u202C {{constructor}}",
  message: "</p><script>window.broken=1</script><iframe src=javascript:parent.broken=1></iframe>\u2066 ${window.broken=1}",
  url: "javascript:window.broken=1",
  page: "https://example.com/\u202Efdp.exe",
};

export function hostileGraph() {
  return graphOf("hostile", {
    "channels/stable-4.7.yaml": `name: stable-4.7\ndescription: ${JSON.stringify(hostile.description)}\nversions: [4.7.0, 4.7.1, 4.7.2]\n`,
    "blocked-edges/4.7.1-evil.yaml": `to: 4.7.1\nfrom: .*\nname: Evil\nmessage: ${JSON.stringify(hostile.message)}\nurl: ${JSON.stringify(hostile.url)}\n`
      + "matchingRules:\n- type: PromQL\n  promql:\n    promql: '\"<b>\\u202e</b>\"'\n",
    "blocked-edges/4.7.2-<b>broken.yaml": "to: 4.7.2\nfrom: (<script>window.broken=1</script>\n",
  }, [["4.7.0", [], { url: hostile.page }], ["4.7.1", ["4.7.0"]], ["4.7.2", ["4.7.0", "4.7.1"]]]);
}

export function cleanUp() {
  rmSync(work, { recursive: true, force: true });
}
