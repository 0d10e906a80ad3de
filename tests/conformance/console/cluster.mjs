// SPDX-License-Identifier: Apache-2.0

// A cluster on loopback whose operator has the console: an API server, a registry with releases, an update service, `fairway operator`.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { request } from "node:https";
import { createServer } from "node:net";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { graphOf, Service, work } from "./service.mjs";

const binary = process.env.FAIRWAY_BINARY;
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Waits until `holds` gives something, for as long as a busy machine may take. */
export async function eventually(what, holds) {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(50)) {
    const found = await holds();
    if (found) return found;
  }
  throw new Error(`it did not come true that ${what}`);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A registry of images that have been made on this machine: version by version, a folder each. */
class Registry {
  static async start() {
    const registry = new Registry();
    registry.files = new Map();
    registry.server = createHttpServer((asked, answer) => {
      const match = /^\/v2\/(?:.*\/(?:manifests|blobs)\/(sha256:[0-9a-f]{64}))?$/.exec(new URL(asked.url, "http://x").pathname);
      const file = match?.[1] === undefined ? null : registry.files.get(match[1]);
      if (match === null || file === undefined) answer.writeHead(404).end();
      else if (file === null) answer.writeHead(200).end("{}");
      else answer.writeHead(200, { "Content-Type": file.type, "Docker-Content-Digest": match[1], "Content-Length": file.bytes.length }).end(asked.method === "HEAD" ? undefined : file.bytes);
    }).listen(0, "127.0.0.1");
    await once(registry.server, "listening");
    return registry;
  }

  /** Makes a release of manifests by their files' names. Returns its image. */
  add(version, manifests) {
    const folder = join(work, `release-${version}-${this.server.address().port}`);
    mkdirSync(join(folder, "manifests"), { recursive: true });
    for (const [name, text] of Object.entries(manifests)) writeFileSync(join(folder, "manifests", name), text);
    const made = execFileSync(binary, ["release", "new", version, join(folder, "manifests"), "--dir", join(folder, "image"), "-o", "json"], { stdio: ["ignore", "pipe", "ignore"] });
    const { digest } = JSON.parse(made.toString());
    const blob = (name) => readFileSync(join(folder, "image/blobs/sha256", name.replace("sha256:", "")));
    const manifest = blob(digest);
    this.files.set(digest, { type: "application/vnd.oci.image.manifest.v1+json", bytes: manifest });
    const { config, layers } = JSON.parse(manifest.toString());
    for (const one of [config, ...layers]) this.files.set(one.digest, { type: "application/octet-stream", bytes: blob(one.digest) });
    return `127.0.0.1:${this.server.address().port}/fairway/release@${digest}`;
  }
}

export const manifest = {
  namespace: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
  configMap: (name, value = "1") => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: shop}\ndata: {a: "${value}"}\n`,
  /** Nothing rolls it out here. */
  deployment: `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example.com/web}]}
`,
};

/** The releases of the tests: 4.6.23 runs, 4.6.43 is recommended, 4.7.4 has two risks, of which one concerns the cluster, and gets stuck. */
const releases = {
  "4.6.23": { "0000_00_shop_namespace.yaml": manifest.namespace, "0000_10_shop_config.yaml": manifest.configMap("config") },
  "4.6.43": { "0000_00_shop_namespace.yaml": manifest.namespace, "0000_10_shop_config.yaml": manifest.configMap("config", "2") },
  "4.7.4": {
    "0000_00_shop_namespace.yaml": manifest.namespace,
    "0000_10_shop_config.yaml": manifest.configMap("config", "3"),
    "0000_20_web_deployment.yaml": manifest.deployment,
    "0000_30_news_config.yaml": manifest.configMap("news"),
  },
};
const risk = (to, name, query, more = "") =>
  `to: ${to}\nfrom: .*\nname: ${name}\nmessage: Clusters of this kind lose what ${name} says.\nurl: https://example.com/${name}\n`
  + `matchingRules:\n- type: PromQL\n  promql:\n    promql: ${JSON.stringify(query)}\n${more}`;
export const graphData = {
  "channels/stable-4.7.yaml": "name: stable-4.7\nversions: [4.6.23, 4.6.43, 4.7.4]\n",
  "blocked-edges/4.7.4-a.yaml": risk("4.7.4", "OldDisks", "max by (type) (disks{type=\"old\"})"),
  "blocked-edges/4.7.4-b.yaml": risk("4.7.4", "NoProxy", "max by (type) (proxies{type=\"http\"})"),
};
const metrics = "# TYPE disks gauge\ndisks{type=\"old\"} 1\n# TYPE proxies gauge\nproxies{type=\"http\"} 0\n";

export class Cluster {
  /** Starts one, whose channel is stable-4.7. `data`: files of graph data beside those above. Returns when the operator knows its updates. */
  static async start(name, { data = {}, flags = [] } = {}) {
    const cluster = new Cluster();
    cluster.processes = [];
    cluster.registry = await Registry.start();
    const images = Object.fromEntries(Object.entries(releases).map(([version, manifests]) => [version, cluster.registry.add(version, manifests)]));
    cluster.service = await Service.start(graphOf(`cluster-${name}`, { ...graphData, ...data }, [
      ["4.6.23", [], {}, images["4.6.23"]], ["4.6.43", ["4.6.23"], { url: "https://example.com/4.6.43" }, images["4.6.43"]], ["4.7.4", ["4.6.23", "4.6.43"], {}, images["4.7.4"]]]));
    cluster.kubeconfig = join(work, `kubeconfig-${name}`);
    cluster.run(["apiserver", "--memory", "--listen", "127.0.0.1:0", "--kubeconfig", cluster.kubeconfig]);
    await eventually("the API server is there", () => existsSync(cluster.kubeconfig) && readFileSync(cluster.kubeconfig, "utf8").includes("current-context"));
    writeFileSync(join(work, `metrics-${name}`), metrics);
    cluster.address = `127.0.0.1:${await freePort()}`;
    cluster.flags = ["operator", "--kubeconfig", cluster.kubeconfig, "--leader-elect=false", "--status-listen", cluster.address, "--release", `4.6.23=${images["4.6.23"]}`,
      "--upstream", `http://${cluster.service.address}/api/upgrades_info/graph`, "--allow-unsigned-releases", "--registry-plain-http", "--risk-evaluator", "local",
      "--local-file", join(work, `metrics-${name}`), "--risk-query-interval", "0s", "--migration-settle", "0s", ...flags];
    cluster.startOperator();
    await eventually("there is a ClusterVersion", async () => (await cluster.status())?.cluster?.found);
    cluster.adm("channel", "stable-4.7", "--allow-explicit-channel");
    await eventually("the operator knows its updates and runs the release", async () => {
      const status = await cluster.status();
      return status?.risks.risks.length > 0 && status.cluster.conditional.length > 0 && status.update.states.at(-1)?.state === "resting";
    });
    return cluster;
  }

  get console() {
    return `http://${this.address}/console/`;
  }

  run(flags) {
    const one = spawn(binary, flags, { stdio: ["ignore", "ignore", "pipe"] });
    one.log = "";
    one.stderr.on("data", (bytes) => { one.log += bytes; });
    this.processes.push(one);
    return one;
  }

  startOperator() {
    this.operator = this.run(this.flags);
  }

  /** Ends the operator, as a machine that fails does. */
  async killOperator() {
    this.operator.kill("SIGKILL");
    await once(this.operator, "exit");
  }

  /** Returns the whole status; null while the operator does not answer. */
  async status() {
    try {
      return await (await fetch(`http://${this.address}/status`)).json();
    } catch {
      if (this.operator.exitCode !== null) throw new Error(`fairway operator ended: ${this.operator.log}`);
      return null;
    }
  }

  /** Runs `fairway adm upgrade`. */
  adm(...flags) {
    return execFileSync(binary, ["adm", "upgrade", "--kubeconfig", this.kubeconfig, ...flags], { stdio: ["ignore", "pipe", "pipe"] }).toString();
  }

  /** Sends a request to the API server as its administrator. */
  async api(method, path, body, type = "application/json") {
    const text = readFileSync(this.kubeconfig, "utf8");
    const decoded = (key) => Buffer.from(new RegExp(`${key}: (\\S+)`).exec(text)[1], "base64");
    const server = new URL(/server: (\S+)/.exec(text)[1]);
    const asked = request(new URL(path, server), {
      method, headers: { "Content-Type": type }, ca: decoded("certificate-authority-data"), cert: decoded("client-certificate-data"), key: decoded("client-key-data"),
    });
    asked.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = await once(asked, "response");
    let all = "";
    for await (const part of answer) all += part;
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${all}`);
    return JSON.parse(all);
  }

  async kill() {
    for (const one of this.processes) {
      if (one.exitCode !== null || one.signalCode !== null) continue;
      one.kill("SIGKILL");
      await once(one, "exit");
    }
    await this.service.kill();
    this.registry.server.closeAllConnections();
    this.registry.server.close();
  }
}

/** An operator whose page is that of another, and whose stream a test writes. */
export class ScriptedOperator {
  static async start(of) {
    const scripted = new ScriptedOperator();
    scripted.streams = [];
    scripted.server = createHttpServer(async (asked, answer) => {
      if (asked.url === "/status/stream") {
        answer.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
        scripted.streams.push(answer);
        return;
      }
      const page = await fetch(`http://${of.address}${asked.url}`);
      answer.writeHead(page.status, Object.fromEntries([...page.headers].filter(([name]) => !/^(content-encoding|content-length|connection|date)$/.test(name))));
      answer.end(Buffer.from(await page.arrayBuffer()));
    }).listen(0, "127.0.0.1");
    await once(scripted.server, "listening");
    scripted.address = `127.0.0.1:${scripted.server.address().port}`;
    scripted.console = `http://${scripted.address}/console/`;
    return scripted;
  }

  /** The stream that was asked for last, once there are `count`. */
  stream(count = 1) {
    return eventually(`${count} streams were asked for`, () => this.streams.length >= count && this.streams.at(-1));
  }

  async kill() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Returns the text of events: each part of a status. */
export const events = (status) => Object.entries(status).map(([part, value]) => `event: ${part}\ndata: ${JSON.stringify(value)}\n\n`).join("");
