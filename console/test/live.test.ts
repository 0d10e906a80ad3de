// SPDX-License-Identifier: Apache-2.0

// Answers that are kept up to date, by a clock of the test's own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { basic, bearer, Client, Refused, TooSlow, Unreachable, type Answer } from "../src/api/client";
import { browserTimer, Connection, LiveAnswer, pauses } from "../src/model/live";

class FakeTimer {
  waiting: { milliseconds: number; then: () => void } | null = null;
  after(milliseconds: number, then: () => void): () => void {
    this.waiting = { milliseconds, then };
    return () => { this.waiting = null; };
  }
  /** Lets the pause pass, and the question be answered. */
  async pass(): Promise<number> {
    const { waiting } = this;
    assert.ok(waiting, "nothing is waited for");
    this.waiting = null;
    waiting.then();
    await settled();
    return waiting.milliseconds;
  }
}
const settled = () => new Promise((done) => setImmediate(done));

test("a lost connection says since when, keeps the last answer, and goes on", async () => {
  let now = new Date(1000);
  const connection = new Connection(() => now);
  const answers: (() => Answer<string[]>)[] = [];
  const unreachable = () => { throw new Unreachable("gone"); };
  answers.push(() => ({ body: ["one"], age: null, etag: null }), unreachable, unreachable, () => ({ body: ["one"], age: 7, etag: null }), () => ({ body: ["two"], age: null, etag: null }));
  const timer = new FakeTimer();
  const live = new LiveAnswer<string[]>(async () => answers.shift()!(), connection, timer);
  await settled();
  const first = live.state.get().body;
  assert.deepEqual(first, ["one"]);
  assert.equal(await timer.pass(), pauses.fresh);
  assert.equal(connection.lostSince.get()?.getTime(), 1000);
  assert.equal(live.state.get().unreachable, true);
  assert.equal(live.state.get().body, first);
  now = new Date(9000);
  assert.equal(await timer.pass(), pauses.failures[0]);
  assert.equal(connection.lostSince.get()?.getTime(), 1000, "since the first failure");
  assert.equal(await timer.pass(), pauses.failures[1]);
  assert.equal(connection.lostSince.get(), null);
  assert.equal(live.state.get().body, first, "the same answer is the same object");
  assert.equal(live.state.get().age, 7);
  await timer.pass();
  assert.deepEqual(live.state.get(), { body: ["two"], age: null, etag: null, refusal: null, unreachable: false });
  live.stop();
  assert.equal(timer.waiting, null);
});

test("what is refused is not shown any longer, but a service that is not ready keeps the answer", async () => {
  const answers: (() => Answer<string>)[] = [];
  answers.push(() => ({ body: "x", age: null, etag: null }), () => { throw new Refused(503, "not_ready", "soon"); }, () => { throw new Refused(401, "unauthorized", "wrong"); });
  const timer = new FakeTimer();
  const connection = new Connection();
  const live = new LiveAnswer<string>(async () => answers.shift()!(), connection, timer);
  await settled();
  await timer.pass();
  assert.deepEqual([live.state.get().body, live.state.get().refusal?.status, connection.lostSince.get()], ["x", 503, null]);
  await timer.pass();
  assert.deepEqual([live.state.get().body, live.state.get().refusal?.status], [null, 401]);
  live.stop();
});

test("an answer that comes after the end is not taken", async () => {
  let answer: (value: Answer<string>) => void = () => {};
  const live = new LiveAnswer<string>(() => new Promise((done) => { answer = done; }), new Connection(), new FakeTimer());
  live.stop();
  answer({ body: "late", age: null, etag: null });
  await settled();
  assert.equal(live.state.get().body, null);
});

test("the client sends credentials in the Authorization header alone", async () => {
  const asked: { url: string; init: RequestInit }[] = [];
  const replies = [new Response('{"nodes":[],"edges":[]}', { headers: { "Fairway-Graph-Age": "12", ETag: '"g"' } }), new Response('{"channels":{}}'), new Response('{"kind":"unauthorized","value":"no"}', { status: 401 }),
    new Response("<html>", { status: 502 })];
  const client = new Client("http://x/api", (async (url: string, init: RequestInit) => { asked.push({ url, init }); return replies.shift()!; }) as typeof fetch);
  client.authorize(basic("älice", "pä:ss"));
  assert.deepEqual(await client.get("/graph", { channel: "a b", from: "4.6.8+amd64" }), { body: { nodes: [], edges: [] }, age: 12, etag: '"g"' });
  assert.equal(asked[0]!.url, "http://x/api/graph?channel=a+b&from=4.6.8%2Bamd64");
  assert.equal(asked[0]!.init.credentials, "omit");
  assert.deepEqual(asked[0]!.init.headers, { Accept: "application/json", Authorization: `Basic ${Buffer.from("älice:pä:ss").toString("base64")}` });
  client.authorize(null);
  await client.get("/channels");
  assert.deepEqual(asked[1]!.init.headers, { Accept: "application/json" });
  await assert.rejects(client.get("/channels"), (error) => error instanceof Refused && error.status === 401 && error.message === "no");
  await assert.rejects(client.get("/channels"), Unreachable);
});

test("what has another shape than an answer is no answer", async () => {
  for (const body of ["{}", "[]", "null", "7", '"x"', '{"nodes":null,"edges":[]}', '{"nodes":7,"edges":[]}']) {
    const client = new Client("http://x", (async () => new Response(body)) as unknown as typeof fetch);
    await assert.rejects(client.get("/graph"), (error) => error instanceof Unreachable && /not the service/.test(error.message), body);
  }
});

test("a question that takes too long is no lost connection", async () => {
  const connection = new Connection();
  const live = new LiveAnswer<string>(async () => { throw new TooSlow("slow"); }, connection, new FakeTimer());
  await settled();
  assert.equal(live.state.get().unreachable, true);
  assert.equal(connection.lostSince.get(), null);
  live.stop();
});

test("a token that no header can have is refused before it is sent", () => {
  assert.equal(bearer("abc.DEF-1_~+/="), "Bearer abc.DEF-1_~+/=");
  for (const token of ["tökén", "日本", "a b", "a\u200b", ""]) assert.throws(() => bearer(token), TypeError, token);
});

test("nothing is asked while the tab is hidden", async () => {
  const page = Object.assign(new EventTarget(), { hidden: true });
  Object.assign(globalThis, { document: page });
  let asked = 0;
  const passed = () => new Promise((done) => setTimeout(done, 5));
  const forget = browserTimer.after(0, () => { ++asked; });
  await passed();
  page.dispatchEvent(new Event("visibilitychange"));
  assert.equal(asked, 0);
  page.hidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  page.dispatchEvent(new Event("visibilitychange"));
  assert.equal(asked, 1, "once, at once");
  forget();
  page.hidden = true;
  const other = browserTimer.after(0, () => { ++asked; });
  await passed();
  other();
  page.hidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  assert.equal(asked, 1, "not after its end");
});

test("an answer that changes with another is asked for until it is there, and shows what was before", async () => {
  const before = { body: "old", age: null, etag: null, refusal: null, unreachable: false };
  const answers: (() => Answer<string>)[] = [() => { throw new Refused(429, "refused", "busy"); }, () => ({ body: "new", age: null, etag: null })];
  const timer = new FakeTimer();
  const live = new LiveAnswer<string>(async () => answers.shift()!(), new Connection(), timer, { until: "answered", before });
  assert.equal(live.state.get().body, "old");
  await settled();
  assert.deepEqual([live.state.get().body, live.state.get().refusal?.status], ["old", 429]);
  await timer.pass();
  assert.equal(live.state.get().body, "new");
  assert.equal(timer.waiting, null, "nothing more is asked");
  live.stop();
});
