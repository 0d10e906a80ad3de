// SPDX-License-Identifier: Apache-2.0

// The present time as a value that views follow: one timer for all of them, and none while nobody follows.

import { Store } from "./store";

export class Ticking extends Store<number> {
  private timer: ReturnType<typeof setInterval> | null = null;
  private followers = 0;

  /** `every`: milliseconds. */
  constructor(private readonly every: number) {
    super(Date.now());
  }

  override follow(listener: () => void): () => void {
    const leave = super.follow(listener);
    if (++this.followers === 1) {
      this.set(Date.now());
      this.timer = setInterval(() => this.set(Date.now()), this.every);
    }
    return () => {
      leave();
      if (--this.followers > 0 || this.timer === null) return;
      clearInterval(this.timer);
      this.timer = null;
    };
  }
}
