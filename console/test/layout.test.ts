// SPDX-License-Identifier: Apache-2.0

// Properties of the layout, on random graphs: no two releases overlap, each is there once, and later ones are to the right or below.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cell, drawnOf, edgePath, layOut, mostDrawn } from "../src/model/layout";
import { compareVersions, minorOf } from "../src/model/version";

/** A generator of numbers below n, the same for a seed (xorshift). */
function random(seed: number): (n: number) => number {
  let state = seed | 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

function randomVersions(seed: number): string[] {
  const next = random(seed);
  const versions = new Set<string>();
  for (let i = next(400); i > 0; --i) {
    const pre = next(4) === 0 ? `-rc.${next(4)}` : "";
    versions.add(`${4 + next(2)}.${next(12)}.${next(60)}${pre}`);
  }
  return [...versions];
}

test("releases of random graphs have places of their own, in order", () => {
  for (let seed = 1; seed <= 200; ++seed) {
    const versions = randomVersions(seed * 7919);
    const layout = layOut(versions);
    assert.equal(layout.places.size, versions.length);
    assert.deepEqual(layout.columns.flatMap((column) => column.versions), [...versions].sort(compareVersions));
    const taken = new Set<string>();
    for (const place of layout.places.values()) {
      assert.equal(layout.columns[place.column]?.minor, minorOf(place.version));
      assert.ok(place.x >= 0 && place.x + cell.width <= layout.width && place.y >= cell.header && place.y + cell.height <= layout.height);
      taken.add(`${place.x} ${place.y}`);
    }
    assert.equal(taken.size, versions.length, `two releases in one place, seed ${seed}`);
    for (const a of layout.places.values()) {
      for (const b of layout.places.values()) {
        if (a === b) continue;
        assert.ok(Math.abs(a.x - b.x) >= cell.width || Math.abs(a.y - b.y) >= cell.height, `${a.version} overlaps ${b.version}, seed ${seed}`);
      }
    }
  }
});

test("an empty graph has no size that is not a number", () => {
  assert.deepEqual([layOut([]).width, layOut([]).height], [0, cell.header]);
});

test("edges begin and end at the sides of their releases", () => {
  const layout = layOut(["4.6.1", "4.6.2", "4.6.40", "4.7.0", "4.9.0"]);
  const at = (version: string) => layout.places.get(version)!;
  for (const [from, to] of [["4.6.1", "4.7.0"], ["4.6.1", "4.9.0"], ["4.6.1", "4.6.40"], ["4.7.0", "4.6.2"]] as const) {
    const numbers = edgePath(at(from), at(to)).match(/-?[\d.]+/g)!.map(Number);
    assert.equal(numbers.length, 8);
    assert.ok(numbers.every(Number.isFinite));
    assert.equal(numbers[1], at(from).y + cell.height / 2);
    assert.equal(numbers[7], at(to).y + cell.height / 2);
    const ends = [at(from).x, at(from).x + cell.width];
    assert.ok(ends.includes(numbers[0]!));
  }
});

test("of a large graph the releases in sight are drawn, and few others", () => {
  const versions = Array.from({ length: 10_000 }, (_, i) => `4.${Math.floor(i / 200)}.${i % 200}`);
  const layout = layOut(versions);
  for (const [left, top] of [[0, 0], [3000, 2000], [layout.width - 1200, layout.height - 600]] as const) {
    const window = { left, top, width: 1200, height: 600 };
    const drawn = new Set(layout.columns.flatMap((column) => drawnOf(column, layout, window)));
    assert.ok(drawn.size < mostDrawn, `${drawn.size} are drawn`);
    for (const place of layout.places.values()) {
      const inSight = place.x + cell.width > left && place.x < left + 1200 && place.y + cell.height > top && place.y < top + 600;
      if (inSight) assert.ok(drawn.has(place.version), place.version);
    }
  }
  const small = layOut(versions.slice(0, mostDrawn));
  assert.equal(small.columns.flatMap((column) => drawnOf(column, small, null)).length, mostDrawn);
});
