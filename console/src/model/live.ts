// SPDX-License-Identifier: Apache-2.0

// An answer that is kept up to date: asked again every few seconds, sooner where the service was not reached. What was answered last stays.

import { Refused, TooSlow, Unreachable, type Answer } from "../api/client";
import { Store } from "./store";

export interface Live<T> {
  /** The last answer; null before the first. */
  body: T | null;
  age: number | null;
  etag: string | null;
  /** Why there is no newer answer; null where there is one. */
  refusal: Refused | null;
  /** The service is not reached. */
  unreachable: boolean;
}

/** Time by which the pauses are measured; tests have their own. */
export interface Timer {
  after(milliseconds: number, then: () => void): () => void;
}

/** Pauses of a page that somebody sees: while its tab is hidden, nothing is asked. */
export const browserTimer: Timer = {
  after(milliseconds, then) {
    const seen = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", seen);
      then();
    };
    const id = setTimeout(() => {
      document.addEventListener("visibilitychange", seen);
      seen();
    }, milliseconds);
    return () => {
      clearTimeout(id);
      document.removeEventListener("visibilitychange", seen);
    };
  },
};

/** Milliseconds between two questions, and those before one that follows a failure. */
export const pauses = { fresh: 10_000, failures: [1_000, 2_000, 5_000, 10_000] } as const;

/** The connection of the whole page: since when no question has been answered; null: the last one was. */
export class Connection {
  readonly lostSince = new Store<Date | null>(null);

  constructor(private readonly now: () => Date = () => new Date()) {}

  reached(): void {
    this.lostSince.set(null);
  }

  lost(): void {
    if (this.lostSince.get() === null) this.lostSince.set(this.now());
  }
}

/** There is no answer yet. */
export const nothing: Live<never> = { body: null, age: null, etag: null, refusal: null, unreachable: false };

/** How an answer is kept up to date: `until answered` asks no more after the first answer. */
export interface Keeping<T> {
  until: "stopped" | "answered";
  /** What is shown before the first answer. */
  before: Live<T>;
}

/** Keeps an answer up to date until `stop` is called. */
export class LiveAnswer<T> {
  readonly state: Store<Live<T>>;
  private readonly cancelled = new AbortController();
  private failures = 0;
  private forget: () => void = () => {};
  private last = "";

  constructor(
    private readonly ask: (cancelled: AbortSignal) => Promise<Answer<T>>,
    private readonly connection: Connection,
    private readonly timer: Timer = browserTimer,
    private readonly keeping: Keeping<T> = { until: "stopped", before: nothing },
  ) {
    this.state = new Store(keeping.before);
    void this.round();
  }

  stop(): void {
    this.cancelled.abort();
    this.forget();
  }

  private async round(): Promise<void> {
    const before = this.state.get();
    try {
      const { body, age, etag } = await this.ask(this.cancelled.signal);
      if (this.cancelled.signal.aborted) return;
      this.connection.reached();
      this.failures = 0;
      // The same answer is the same object, so that nothing is drawn again.
      const text = JSON.stringify(body);
      const same = text === this.last && before.body !== null;
      this.last = text;
      if (!same || before.age !== age || before.etag !== etag || before.refusal || before.unreachable)
        this.state.set({ body: same ? before.body : body, age, etag, refusal: null, unreachable: false });
    } catch (error) {
      if (this.cancelled.signal.aborted) return;
      ++this.failures;
      if (error instanceof Refused) {
        this.connection.reached();
        // What is refused is not shown any longer: it may be another channel's, or other credentials'.
        const kept = error.status === 503 || error.status === 429 ? before.body : null;
        this.state.set({ body: kept, age: before.age, etag: before.etag, refusal: error, unreachable: false });
      } else if (error instanceof Unreachable) {
        // Others are answered, perhaps: only this question takes too long.
        if (!(error instanceof TooSlow)) this.connection.lost();
        this.state.set({ ...before, unreachable: true });
      } else {
        throw error;
      }
    }
    if (this.failures === 0 && this.keeping.until === "answered") return;
    const pause = this.failures === 0 ? pauses.fresh : pauses.failures[Math.min(this.failures, pauses.failures.length) - 1];
    this.forget = this.timer.after(pause ?? pauses.fresh, () => void this.round());
  }
}
