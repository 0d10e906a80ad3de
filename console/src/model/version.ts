// SPDX-License-Identifier: Apache-2.0

// Versions of releases, as Semantic Versioning 2.0.0 orders them.

/** A version's parts; pre-release identifiers as they stand. */
export interface ParsedVersion {
  major: number;
  minor: number;
  patch: number;
  pre: string[];
}

const pattern = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Reads "4.8.0-rc.1"; null where the text is no version. */
export function parseVersion(text: string): ParsedVersion | null {
  const match = pattern.exec(text);
  if (!match) return null;
  return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]), pre: match[4] ? match[4].split(".") : [] };
}

function compareIdentifiers(a: string, b: string): number {
  const numeric = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numeric[0] && numeric[1]) return Number(a) - Number(b);
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares two versions by precedence (section 11 of SemVer): below, at or above 0. What is no version comes first, by its text. */
export function compareVersions(a: string, b: string): number {
  return compareParsed(a, parseVersion(a), b, parseVersion(b));
}

/** Returns versions in order, each read once. */
export function sortedVersions(versions: Iterable<string>): string[] {
  return [...versions]
    .map((text) => ({ text, parsed: parseVersion(text) }))
    .sort((a, b) => compareParsed(a.text, a.parsed, b.text, b.parsed))
    .map(({ text }) => text);
}

function compareParsed(a: string, x: ParsedVersion | null, b: string, y: ParsedVersion | null): number {
  if (!x || !y) return x ? 1 : y ? -1 : a < b ? -1 : a > b ? 1 : 0;
  const core = x.major - y.major || x.minor - y.minor || x.patch - y.patch;
  if (core !== 0) return core;
  if (x.pre.length === 0 || y.pre.length === 0) return y.pre.length - x.pre.length;
  for (let i = 0; i < Math.min(x.pre.length, y.pre.length); ++i) {
    const order = compareIdentifiers(x.pre[i] ?? "", y.pre[i] ?? "");
    if (order !== 0) return order;
  }
  return x.pre.length - y.pre.length;
}

/** Returns the minor version that a release belongs to, "4.7"; "other" for what is no version. */
export function minorOf(version: string): string {
  const parsed = parseVersion(version);
  return parsed ? `${parsed.major}.${parsed.minor}` : "other";
}
