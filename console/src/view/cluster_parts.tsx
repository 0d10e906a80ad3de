// SPDX-License-Identifier: Apache-2.0

// Small parts of the cluster's views.

import { useEffect, useState } from "preact/hooks";
import { inWords } from "../model/age";
import { Foreign } from "./parts";

/** Redraws every few seconds, so that ages stay true. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const id = setInterval(() => setNow(Date.now()), 5_000);
    return () => clearInterval(id);
  }, []);
  return now;
}

/** Returns a time of the operator as "19 Feb 2026, 23:09:12", in the time zone of the browser; the text itself where it is no time. */
export function timeInWords(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  return time.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** A time, and how long ago it is or how long it takes until then. */
export function Time({ at }: { at: string }) {
  const now = useNow();
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
