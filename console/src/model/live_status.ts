// SPDX-License-Identifier: Apache-2.0

// The status of the cluster, followed by one stream that is opened anew whenever it ends. What was said last stays.

import { Refused, Unreachable } from "../api/client";
import type { Status } from "../api/cluster_types";
import { followStream, type Follower } from "../api/event_stream";
import { Connection, pauses, type Timer } from "./live";
import { Store } from "./store";

/** What is known of the cluster: each part once it has come. */
export type KnownStatus = Partial<Status>;

/** After this long without a sign of life the stream is dead: the operator gives one every five seconds. */
export const longestSilence = 16_000;

const parts: readonly (keyof Status)[] = ["program", "cluster", "risks", "update", "migrations"];

/** A member of each part by which it is known; what comes without it is not from the operator. */
const members: Record<keyof Status, string> = { program: "version", cluster: "found", risks: "risks", update: "states", migrations: "migrations" };

/** Whether somebody looks at the page: while nobody does, it holds no stream. */
export interface Attention {
  seen(): boolean;
  /** Calls `changed` after each change, until what it returns is called. */
  follow(changed: () => void): () => void;
}

export const browserAttention: Attention = {
  seen: () => !document.hidden,
  follow(changed) {
    document.addEventListener("visibilitychange", changed);
    return () => document.removeEventListener("visibilitychange", changed);
  },
};

/** How the page reaches the operator: `followStream` with its address. */
export type Follow = (follower: Follower, cancelled: AbortSignal) => Promise<never>;

/** Follows the status until `stop` is called. */
export class LiveStatus {
  readonly status = new Store<KnownStatus>({});
  /** Why the operator does not show it; null where it does. */
  readonly refusal = new Store<Refused | null>(null);
  readonly connection: Connection;
  private readonly ended = new AbortController();
  private stream: AbortController | null = null;
  private forget: () => void = () => {};
  private forgetSilence: () => void = () => {};
  private readonly leaveAttention: () => void;
  private failures = 0;

  constructor(
    private readonly follow: Follow,
    private readonly timer: Timer,
    private readonly attention: Attention = browserAttention,
    now: () => Date = () => new Date(),
  ) {
    this.connection = new Connection(now);
    this.leaveAttention = attention.follow(() => this.attend());
    this.attend();
  }

  stop(): void {
    this.ended.abort();
    this.leaveAttention();
    this.close();
  }

  private close(): void {
    this.forget();
    this.forgetSilence();
    this.stream?.abort();
    this.stream = null;
  }

  /** Opens the stream where somebody looks, and closes it where nobody does. */
  private attend(): void {
    if (!this.attention.seen()) this.close();
    else if (this.stream === null) void this.open();
  }

  private async open(): Promise<void> {
    this.close();
    const stream = new AbortController();
    this.stream = stream;
    let silent = false;
    const listen = () => {
      this.forgetSilence();
      this.forgetSilence = this.timer.after(longestSilence, () => {
        silent = true;
        stream.abort();
      });
    };
    listen();
    try {
      await this.follow(
        {
          alive: () => {
            if (this.stream !== stream) return;
            this.failures = 0;
            this.connection.reached();
            this.refusal.set(null);
            listen();
          },
          event: ({ name, data }) => {
            if (this.stream === stream) this.take(name, data);
          },
        },
        stream.signal,
      );
    } catch (error) {
      // Another stream was opened, or none is wanted.
      if (this.stream !== stream || this.ended.signal.aborted) return;
      if (error instanceof Refused) {
        this.connection.reached();
        this.refusal.set(error);
      } else if (silent || error instanceof Unreachable) {
        this.connection.lost();
      } else {
        throw error;
      }
    }
    this.forgetSilence();
    const pause = pauses.failures[Math.min(this.failures, pauses.failures.length - 1)] ?? pauses.fresh;
    ++this.failures;
    stream.abort();
    this.forget = this.timer.after(pause, () => void this.open());
  }

  private take(name: string, data: string): void {
    const part = parts.find((each) => each === name);
    // Parts may come with later operators.
    if (part === undefined) return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      throw new Unreachable("what answers is not the operator: an event has no JSON");
    }
    if (typeof value !== "object" || value === null || !(members[part] in value))
      throw new Unreachable(`what answers is not the operator: its ${part} has another shape`);
    // An operator that has just begun knows less than what was said last.
    if ("known" in value && value.known === false) return;
    this.status.set({ ...this.status.get(), [part]: value });
  }
}

/** Follows the status at the address of an API. */
export function followAt(base: string): Follow {
  return (follower, cancelled) => followStream(`${base}/status/stream`, follower, cancelled);
}
