// SPDX-License-Identifier: Apache-2.0

// The layout of a version graph: a column a minor version, patch releases downwards, in cells of one size. Nothing is measured: the same
// versions give the same places.

import { minorOf, sortedVersions } from "./version";

/** Sizes in CSS pixels. */
export const cell = { width: 124, height: 32, gap: 84, rowGap: 6, header: 36 } as const;

export interface Place {
  version: string;
  column: number;
  row: number;
  /** Left upper corner. */
  x: number;
  y: number;
}

export interface Column {
  minor: string;
  versions: string[];
}

export interface Layout {
  columns: Column[];
  places: Map<string, Place>;
  width: number;
  height: number;
}

/** Returns the places of versions, in any order and without repetition. */
export function layOut(versions: readonly string[]): Layout {
  const columns: Column[] = [];
  for (const version of sortedVersions(versions)) {
    const minor = minorOf(version);
    const last = columns[columns.length - 1];
    if (last?.minor === minor) last.versions.push(version);
    else columns.push({ minor, versions: [version] });
  }
  const places = new Map<string, Place>();
  columns.forEach((column, c) => {
    column.versions.forEach((version, row) => {
      places.set(version, {
        version,
        column: c,
        row,
        x: c * (cell.width + cell.gap),
        y: cell.header + row * (cell.height + cell.rowGap),
      });
    });
  });
  const rows = Math.max(0, ...columns.map((column) => column.versions.length));
  return {
    columns,
    places,
    width: columns.length === 0 ? 0 : columns.length * (cell.width + cell.gap) - cell.gap,
    height: cell.header + rows * (cell.height + cell.rowGap),
  };
}

/** Returns the path of SVG from one cell to another: from the right side to the left one, or, within a column, by a bow to its right. */
export function edgePath(from: Place, to: Place): string {
  const middle = cell.height / 2;
  const y1 = from.y + middle;
  const y2 = to.y + middle;
  if (from.column === to.column) {
    const x = from.x + cell.width;
    const bow = Math.min(cell.gap - 12, 16 + Math.abs(to.row - from.row) * 3);
    return `M${x} ${y1}C${x + bow} ${y1} ${x + bow} ${y2} ${x + 2} ${y2}`;
  }
  const rightwards = to.column > from.column;
  const x1 = rightwards ? from.x + cell.width : from.x;
  const x2 = rightwards ? to.x - 2 : to.x + cell.width + 2;
  const pull = (rightwards ? 1 : -1) * Math.max(cell.gap / 2, Math.abs(x2 - x1) / 3);
  return `M${x1} ${y1}C${x1 + pull} ${y1} ${x2 - pull} ${y2} ${x2} ${y2}`;
}

/** A part of the canvas, in CSS pixels. */
export interface Window {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Graphs of more releases are drawn in parts: what is in sight, and as much around it. */
export const mostDrawn = 1500;

/** Returns the releases of a column that are drawn: all of a small graph, else those near the window. */
export function drawnOf(column: Column, layout: Layout, window: Window | null): string[] {
  if (layout.places.size <= mostDrawn) return column.versions;
  const first = layout.places.get(column.versions[0] ?? "");
  if (window === null || first === undefined) return [];
  if (first.x + cell.width < window.left - window.width || first.x > window.left + 2 * window.width) return [];
  const row = (y: number) => Math.floor((y - cell.header) / (cell.height + cell.rowGap));
  return column.versions.slice(Math.max(0, row(window.top - window.height)), Math.max(0, row(window.top + 2 * window.height) + 1));
}
