// SPDX-License-Identifier: Apache-2.0

// Times and durations in words.

/** Returns a time of day, "08:05:09". */
export function clockTime(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Returns a duration in its largest unit: "40 seconds", "3 minutes", "1 hour". */
export function inWords(seconds: number): string {
  const units: [number, string][] = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
  for (const [size, name] of units) {
    const count = Math.floor(seconds / size);
    if (count >= 1 || size === 1) return `${count} ${name}${count === 1 ? "" : "s"}`;
  }
  return "";
}
