// SPDX-License-Identifier: Apache-2.0

// Server-sent events by fetch: EventSource neither says why it ended nor stops asking where it is refused.

import { Refused, Unreachable } from "./client";

/** One event of a stream. */
export interface StreamEvent {
  name: string;
  data: string;
}

/** The most that one event may have, in UTF-16 units: what has more is no stream of ours. */
export const longestEvent = 16 * 1024 * 1024;

/** Reads the text of a stream, chunk by chunk, into its events (HTML Living Standard, section 9.2.6). */
export class EventReader {
  private rest = "";
  private name = "";
  private data: string[] = [];
  private size = 0;

  /** Returns the events that a chunk completes. Throws where an event is too long. */
  read(chunk: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    const text = this.rest + chunk;
    let begin = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", begin)) {
      const event = this.line(text.slice(begin, end).replace(/\r$/, ""));
      if (event !== null) events.push(event);
      begin = end + 1;
    }
    this.rest = text.slice(begin);
    if (this.size + this.rest.length > longestEvent) throw new Unreachable("what answers is not the operator: an event of its stream has no end");
    return events;
  }

  private line(line: string): StreamEvent | null {
    if (line === "") {
      const event = this.data.length > 0 ? { name: this.name || "message", data: this.data.join("\n") } : null;
      this.name = "";
      this.data = [];
      this.size = 0;
      return event;
    }
    this.size += line.length;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    return null;
  }
}

/** What a follower of a stream is told. */
export interface Follower {
  /** Something came: an event, a comment, or the beginning of the stream. */
  alive: () => void;
  event: (event: StreamEvent) => void;
}

/** Follows the stream at an address until it ends. Throws Refused or Unreachable; the end of the stream is Unreachable, too. */
export async function followStream(address: string, follower: Follower, cancelled: AbortSignal, send: typeof fetch = (...request) => fetch(...request)): Promise<never> {
  let response: Response;
  try {
    response = await send(address, {
      headers: { Accept: "text/event-stream" },
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: cancelled,
    });
  } catch (error) {
    if (cancelled.aborted) throw error;
    throw new Unreachable("the operator cannot be reached");
  }
  if (!response.ok) {
    const text = (await response.text().catch(() => "")).slice(0, 1000).trim();
    throw new Refused(response.status, "refused", text === "" ? `status ${response.status}` : text);
  }
  if (response.body === null || !/^text\/event-stream\b/.test(response.headers.get("Content-Type") ?? ""))
    throw new Unreachable("what answers is not the operator: it gives no stream of events");
  follower.alive();
  const reader = new EventReader();
  const decoder = new TextDecoder();
  const source = response.body.getReader();
  for (;;) {
    let part;
    try {
      part = await source.read();
    } catch (error) {
      if (cancelled.aborted) throw error;
      throw new Unreachable("the connection to the operator was lost");
    }
    if (part.done) throw new Unreachable("the operator has ended the stream");
    follower.alive();
    for (const event of reader.read(decoder.decode(part.value, { stream: true }))) follower.event(event);
  }
}
