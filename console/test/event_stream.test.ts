// SPDX-License-Identifier: Apache-2.0

// The stream of the operator: its text, how it is followed, and what happens when it ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused, Unreachable } from "../src/api/client";
import { EventReader, followStream, longestEvent, type Follower, type StreamEvent } from "../src/api/event_stream";
import { pauses, type Timer } from "../src/model/live";
import { LiveStatus, longestSilence, type Attention } from "../src/model/live_status";

const settled = () => new Promise((done) => setImmediate(done));

test("events are read whatever the chunks are", () => {
  const text = ":\n\nevent: cluster\r\ndata: {\"a\":1}\n\nevent:update\ndata: one\ndata:two\n\ndata: x\n\nevent: none\n\nretry: 5\nid: 7\n\n";
  const expected: StreamEvent[] = [{ name: "cluster", data: "{\"a\":1}" }, { name: "update", data: "one\ntwo" }, { name: "message", data: "x" }];
  for (let size = 1; size <= text.length; ++size) {
    const reader = new EventReader();
    const events: StreamEvent[] = [];
    for (let at = 0; at < text.length; at += size) events.push(...reader.read(text.slice(at, at + size)));
    assert.deepEqual(events, expected, `chunks of ${size}`);
  }
});

test("an event without an end is refused", () => {
  const chunk = "x".repeat(longestEvent / 2);
  for (const end of ["", "\n"]) {
    const reader = new EventReader();
    assert.throws(() => { for (let i = 0; i < 4; ++i) reader.read(`data: ${chunk}${end}`); }, Unreachable);
  }
});

const response = (status: number, type: string, body: string) => async () => new Response(body, { status, headers: { "Content-Type": type } });
const silent: Follower = { alive: () => {}, event: () => {} };

test("what does not answer with a stream is refused or unreachable", async () => {
  const { signal } = new AbortController();
  await assert.rejects(followStream("u", silent, signal, response(404, "text/plain", "the console is off\n")), (error: Error) => error instanceof Refused && error.status === 404 && error.message === "the console is off");
  await assert.rejects(followStream("u", silent, signal, response(200, "text/html", "<p>")), Unreachable);
  await assert.rejects(followStream("u", silent, signal, async () => { throw new TypeError("no"); }), Unreachable);
  const events: StreamEvent[] = [];
  let alive = 0;
  await assert.rejects(followStream("u", { alive: () => { ++alive; }, event: (event) => events.push(event) }, signal, response(200, "text/event-stream", "event: a\ndata: \u{1F6A2}\n\n")), /has ended the stream/);
  assert.deepEqual(events, [{ name: "a", data: "\u{1F6A2}" }]);
  assert.equal(alive, 2);
});

/** Streams that a test ends by hand. */
class Streams {
  all: { follower: Follower; cancelled: AbortSignal; end: (error: Error) => void }[] = [];
  follow = (follower: Follower, cancelled: AbortSignal): Promise<never> =>
    new Promise((_, end) => {
      cancelled.addEventListener("abort", () => end(new DOMException("aborted", "AbortError")));
      this.all.push({ follower, cancelled, end });
    });
  get last() {
    return this.all[this.all.length - 1]!;
  }
}

class Timers implements Timer {
  waiting: { milliseconds: number; then: () => void }[] = [];
  after(milliseconds: number, then: () => void): () => void {
    const one = { milliseconds, then };
    this.waiting.push(one);
    return () => { this.waiting = this.waiting.filter((each) => each !== one); };
  }
  async pass(milliseconds: number): Promise<void> {
    const one = this.waiting.find((each) => each.milliseconds === milliseconds);
    assert.ok(one, `nothing waits for ${milliseconds}: ${this.waiting.map((each) => each.milliseconds).join()}`);
    this.waiting = this.waiting.filter((each) => each !== one);
    one.then();
    await settled();
  }
}

class Looked implements Attention {
  looks = true;
  private changed = () => {};
  seen = () => this.looks;
  follow(changed: () => void) {
    this.changed = changed;
    return () => { this.changed = () => {}; };
  }
  set(looks: boolean) {
    this.looks = looks;
    this.changed();
  }
}

function started() {
  const streams = new Streams();
  const timers = new Timers();
  const attention = new Looked();
  const live = new LiveStatus(streams.follow, timers, attention, () => new Date(1000));
  return { streams, timers, attention, live };
}
const cluster = (channel: string) => ({ name: "cluster", data: JSON.stringify({ found: true, channel }) });

test("parts come one by one, and a restart of the operator is survived", async () => {
  const { streams, timers, live } = started();
  streams.last.follower.alive();
  streams.last.follower.event(cluster("a"));
  streams.last.follower.event({ name: "update", data: JSON.stringify({ states: [] }) });
  streams.last.follower.event({ name: "of a later version", data: "1" });
  assert.deepEqual(live.status.get(), { cluster: { found: true, channel: "a" }, update: { states: [] } });
  streams.last.end(new Unreachable("gone"));
  await settled();
  assert.equal(live.connection.lostSince.get()?.getTime(), 1000);
  assert.equal(live.status.get().cluster?.channel, "a", "what was said last stays");
  await timers.pass(pauses.failures[0]);
  streams.last.end(new Unreachable("still"));
  await settled();
  await timers.pass(pauses.failures[1]);
  streams.last.follower.alive();
  streams.last.follower.event({ name: "cluster", data: JSON.stringify({ found: false, known: false }) });
  assert.equal(live.status.get().cluster?.channel, "a", "an operator that has not looked yet takes nothing back");
  streams.last.follower.event(cluster("b"));
  assert.equal(live.connection.lostSince.get(), null);
  assert.equal(live.status.get().cluster?.channel, "b");
  assert.equal(streams.all.length, 3);
  // An old stream has nothing to say any longer.
  streams.all[0]!.follower.event(cluster("old"));
  assert.equal(live.status.get().cluster?.channel, "b");
  live.stop();
});

test("a silent stream is a lost connection", async () => {
  const { streams, timers, live } = started();
  streams.last.follower.alive();
  await timers.pass(longestSilence);
  assert.ok(streams.last.cancelled.aborted);
  assert.notEqual(live.connection.lostSince.get(), null);
  await timers.pass(pauses.failures[0]);
  assert.equal(streams.all.length, 2);
  live.stop();
});

test("a refusal says why, and is asked about again", async () => {
  const { streams, timers, live } = started();
  streams.last.end(new Refused(404, "refused", "the console is off"));
  await settled();
  assert.equal(live.refusal.get()?.message, "the console is off");
  assert.equal(live.connection.lostSince.get(), null);
  await timers.pass(pauses.failures[0]);
  streams.last.follower.alive();
  assert.equal(live.refusal.get(), null);
  live.stop();
});

test("what another program sends is not shown", async () => {
  for (const data of ["no JSON", "1", "null", "{}", "[]"]) {
    const { streams, live } = started();
    streams.last.follower.alive();
    assert.throws(() => streams.last.follower.event({ name: "cluster", data }), Unreachable, data);
    assert.deepEqual(live.status.get(), {});
    live.stop();
  }
});

test("while nobody looks at the page it holds no stream", async () => {
  const { streams, timers, attention, live } = started();
  streams.last.follower.alive();
  attention.set(false);
  await settled();
  assert.ok(streams.all[0]!.cancelled.aborted);
  assert.equal(live.connection.lostSince.get(), null);
  assert.deepEqual(timers.waiting, []);
  attention.set(true);
  assert.equal(streams.all.length, 2);
  live.stop();
  await settled();
  assert.ok(streams.last.cancelled.aborted);
  assert.deepEqual(timers.waiting, []);
});
