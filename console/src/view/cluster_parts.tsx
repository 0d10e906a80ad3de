// SPDX-License-Identifier: Apache-2.0

// Small parts of the cluster's views.

import { inWords } from "../model/age";
import { Ticking } from "../model/ticking";
import { useStore } from "./context";
import { Foreign } from "./parts";

/** The present time, so that ages stay true. */
const present = new Ticking(5_000);

/** Returns a time of the operator as "19 Feb 2026, 23:09:12", in the time zone of the browser; the text itself where it is no time. */
export function timeInWords(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  return time.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** A time, and how long ago it is or how long it takes until then. */
export function Time({ at }: { at: string }) {
  const now = useStore(present);
  const time = new Date(at).getTime();
  if (Number.isNaN(time)) return <Foreign text={at} />;
  const seconds = Math.round((now - time) / 1000);
  // Clocks differ a little.
  const age = seconds < -2 ? `in ${inWords(-seconds)}` : seconds < 2 ? "now" : `${inWords(seconds)} ago`;
  return (
    <time dateTime={at}>
      {timeInWords(at)} ({age})
    </time>
  );
}

/** A command that does what the page only shows. */
export function Command({ text, what }: { text: string | null; what: string }) {
  if (text === null) return null;
  return (
    <p class="command">
      {what}: <code>{text}</code>
    </p>
  );
}
