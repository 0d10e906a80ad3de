// SPDX-License-Identifier: Apache-2.0

// What a program with `@kubernetes/client-node` does: CRUD, a watch and an informer whose connections are cut, apply, a lease that is
// fought for.
import assert from "node:assert/strict";
import * as k8s from "@kubernetes/client-node";

const namespace = process.env.SPACE;
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const leases = config.makeApiClient(k8s.CoordinationV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const limit = 30_000; // only a server that hangs needs them

const cut = async () => Number(await (await fetch(process.env.CUT, { method: "POST" })).text());
const configMap = (name, data) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data });
const create = (name, data) => core.createNamespacedConfigMap({ namespace, body: configMap(name, data) });
const refused = (code, promise) => assert.rejects(promise, (error) => error.code === code);

// A list that can be waited for: next() resolves with what comes next.
class Queue {
  items = [];
  waiting = [];
  put(item) {
    const next = this.waiting.shift();
    if (next) next(item);
    else this.items.push(item);
  }
  next() {
    if (this.items.length > 0) return Promise.resolve(this.items.shift());
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("nothing came")), limit);
      this.waiting.push((item) => (clearTimeout(late), resolve(item)));
    });
  }
}

async function crud() {
  const made = await create("crud", { a: "1" });
  assert.ok(made.metadata.creationTimestamp instanceof Date);
  await refused(409, create("crud"));
  const replaced = await core.replaceNamespacedConfigMap({ name: "crud", namespace, body: { ...made, data: { b: "2" } } });
  assert.deepEqual(replaced.data, { b: "2" });
  const body = [{ op: "add", path: "/data/c", value: "3" }];
  const options = k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.JsonPatch);
  assert.deepEqual((await core.patchNamespacedConfigMap({ name: "crud", namespace, body }, options)).data, { b: "2", c: "3" });
  const page = await core.listNamespacedConfigMap({ namespace, limit: 1, fieldSelector: "metadata.name=crud" });
  assert.equal(page.items[0].metadata.name, "crud");
  await core.deleteNamespacedConfigMap({ name: "crud", namespace });
  await refused(404, core.readNamespacedConfigMap({ name: "crud", namespace }));
}

async function cutWatch() {
  const events = new Queue();
  const watch = new k8s.Watch(config);
  let version = (await core.listNamespacedConfigMap({ namespace })).metadata.resourceVersion;
  const follow = () =>
    watch.watch(path, { resourceVersion: version }, (type, one) => {
      version = one.metadata.resourceVersion;
      events.put(`${type} ${one.metadata.name}`);
    }, (error) => events.put(error ? "cut" : "end"));
  await follow();
  await create("w1");
  assert.equal(await events.next(), "ADDED w1");
  assert.ok((await cut()) > 0);
  assert.equal(await events.next(), "cut");
  await create("w2");
  const request = await follow();
  assert.equal(await events.next(), "ADDED w2");
  request.abort();
}

async function informer() {
  const added = new Queue();
  const list = () => core.listNamespacedSecret({ namespace });
  const shared = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/secrets`, list);
  shared.on("add", (one) => added.put(one.metadata.name));
  shared.on("error", () => shared.start()); // as its documentation has it
  await shared.start();
  const secret = (name) => core.createNamespacedSecret({ namespace, body: { metadata: { name } } });
  await secret("i1");
  assert.equal(await added.next(), "i1");
  assert.ok((await cut()) > 0);
  await secret("i2");
  assert.equal(await added.next(), "i2");
  assert.deepEqual(shared.list(namespace).map((one) => one.metadata.name).sort(), ["i1", "i2"]);
  await shared.stop();
}

async function apply() {
  const by = (manager, data, force) =>
    objects.patch(configMap("applied", data), undefined, undefined, manager, force, k8s.PatchStrategy.ServerSideApply);
  await by("one", { a: "1", b: "2" });
  await refused(409, by("two", { a: "3" }, false));
  assert.deepEqual((await by("two", { a: "3" }, true)).data, { a: "3", b: "2" });
  assert.deepEqual((await by("one", { a: "3" }, false)).data, { a: "3" });
}

// The client has no election: of all that take the same version of a lease, one gets it.
async function leads() {
  const spec = (holderIdentity) => ({ holderIdentity, leaseDurationSeconds: 1, renewTime: new k8s.V1MicroTime() });
  const lease = await leases.createNamespacedLease({ namespace, body: { metadata: { name: "leader" }, spec: spec("first") } });
  const stand = (name) => leases.replaceNamespacedLease({ name: "leader", namespace, body: { ...lease, spec: spec(name) } });
  const results = await Promise.allSettled(["a", "b", "c", "d"].map(stand));
  const won = results.filter((one) => one.status === "fulfilled");
  assert.equal(won.length, 1);
  assert.ok(results.every((one) => one.status === "fulfilled" || one.reason.code === 409));
  const now = await leases.readNamespacedLease({ name: "leader", namespace });
  assert.equal(now.spec.holderIdentity, won[0].value.spec.holderIdentity);
}

let failed = 0;
for (const check of [crud, cutWatch, informer, apply, leads]) {
  try {
    await check();
    console.log(`passed: ${check.name}`);
  } catch (error) {
    failed = 1;
    console.log(`${error.stack}\nfailed: ${check.name}: ${String(error.message).replaceAll("\n", " ")}`);
  }
}
process.exit(failed);
