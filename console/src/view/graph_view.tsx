// SPDX-License-Identifier: Apache-2.0

// The graph: a column a minor version, patch releases downwards, and the edges of the release that is selected.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Updates } from "../api/types";
import { neighbour, shownEdges, type EdgeKind, type ShownEdge } from "../model/graph_edges";
import { cell, drawnOf, edgePath, layOut, mostDrawn, type Layout, type Window } from "../model/layout";
import { linkTo } from "../model/route";
import { EmptyChannel, useGraph } from "./channel_view";
import { useAnswer, useShared } from "./context";
import { CopyButtons, Section, Stale, Waiting } from "./parts";
import { SearchField, useSearch } from "./search_field";

const inWordsOf: Record<EdgeKind, string> = {
  recommended: "recommended",
  conditional: "conditional: has risks",
  blocked: "blocked: taken away by graph data",
};

function Legend() {
  return (
    <ul class="legend">
      {(Object.keys(inWordsOf) as EdgeKind[]).map((kind) => (
        <li>
          <svg width="44" height="10" aria-hidden="true">
            <line class={kind} x1="2" y1="5" x2="42" y2="5" />
          </svg>
          {inWordsOf[kind]}
        </li>
      ))}
    </ul>
  );
}

/** Follows the part of a large canvas that is in sight, in steps of half of it; null for a small one. */
function useWindow(box: RefObject<HTMLDivElement | null>, large: boolean): Window | null {
  const [seen, see] = useState<Window | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!large || element === null) return undefined;
    const look = () => {
      const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = element;
      see((before) => {
        const near = before !== null && before.width === width && before.height === height
          && Math.abs(before.left - left) < width / 2 && Math.abs(before.top - top) < height / 2;
        return near ? before : { left, top, width, height };
      });
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      element.removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [large]);
  return seen;
}

interface CanvasProperties {
  layout: Layout;
  edges: ShownEdge[];
  selected: string;
  found: Set<string> | null;
  select: (version: string) => void;
}

function Canvas({ layout, edges, selected, found, select }: CanvasProperties) {
  const { route } = useShared();
  const box = useRef<HTMLDivElement>(null);
  const other = new Map(edges.map((edge) => [edge.from === selected ? edge.to : edge.from, edge.kind]));
  const focusable = layout.places.has(selected) ? selected : layout.columns[layout.columns.length - 1]?.versions.at(-1);
  const seen = useWindow(box, layout.places.size > mostDrawn);
  const wanted = useRef<string | null>(null);
  // A release that a key has led to may be drawn only now.
  useEffect(() => {
    if (wanted.current === null) return;
    const button = box.current?.querySelector<HTMLElement>(`[data-version="${CSS.escape(wanted.current)}"]`);
    if (!button) return;
    wanted.current = null;
    button.focus();
  });
  const firstFound = found === null ? undefined : [...found][0];
  // The newest releases are what one looks for, and what is selected or found is what one has come for.
  useEffect(() => {
    const place = layout.places.get(firstFound ?? focusable ?? "");
    if (box.current === null || place === undefined) return;
    box.current.scrollTo({ left: place.x - box.current.clientWidth / 2 + cell.width / 2, top: place.y - box.current.clientHeight / 2 });
  }, [firstFound, focusable, layout]);
  const move = (event: KeyboardEvent) => {
    const at = (event.target as HTMLElement).dataset["version"];
    const next = at === undefined ? null : neighbour(layout.columns, at, event.key);
    if (next === null) return;
    event.preventDefault();
    const button = box.current?.querySelector<HTMLElement>(`[data-version="${CSS.escape(next)}"]`);
    if (button) {
      button.focus();
      return;
    }
    wanted.current = next;
    const there = place(next);
    if (there) box.current?.scrollTo({ left: there.x, top: there.y, behavior: "instant" });
  };
  const place = (version: string) => layout.places.get(version);
  return (
    <div class="graph" ref={box} role="group" aria-label="Releases by minor version. Arrow keys move, Enter selects." onKeyDown={move}>
      <div class="canvas" style={{ width: `${layout.width + cell.gap}px`, height: `${layout.height}px` }}>
        <div class="heads" style={{ height: `${cell.header}px` }}>
          {layout.columns.map((column) => (
            <h2 key={column.minor} id={`minor-${column.minor}`} style={{ left: `${place(column.versions[0] ?? "")?.x ?? 0}px` }}>
              {column.minor}
            </h2>
          ))}
        </div>
        <svg class={edges.length > 24 ? "many" : undefined} width={layout.width + cell.gap} height={layout.height} aria-hidden="true">
          <defs>
            {(["recommended", "conditional", "blocked"] as const).map((kind) => (
              <marker id={`end-${kind}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">
                <path d="M0 0L8 4L0 8Z" class={`tip ${kind}`} />
              </marker>
            ))}
          </defs>
          {edges.map((edge) => {
            const from = place(edge.from);
            const to = place(edge.to);
            if (!from || !to) return null;
            return <path key={`${edge.from} ${edge.to}`} class={edge.kind} d={edgePath(from, to)} marker-end={`url(#end-${edge.kind})`} />;
          })}
        </svg>
        {layout.columns.map((column) => {
          return (
            <section aria-labelledby={`minor-${column.minor}`} key={column.minor}>
              <ul>
                {drawnOf(column, layout, seen).map((version) => {
                  const at = place(version);
                  const kind = other.get(version);
                  const classes = [kind ?? "", found?.has(version) ? "found" : "", found && !found.has(version) ? "faint" : ""];
                  const relation =
                    kind === undefined ? "" : ` update ${route.direction} ${selected}: ${kind}`;
                  return (
                    <li key={version}>
                      <button
                        type="button"
                        data-version={version}
                        class={classes.join(" ").trim()}
                        aria-pressed={version === selected}
                        tabIndex={version === focusable ? 0 : -1}
                        onClick={() => select(version)}
                        style={{ left: `${at?.x ?? 0}px`, top: `${at?.y ?? 0}px`, width: `${cell.width}px`, height: `${cell.height}px` }}
                      >
                        {version}
                        <span class="hidden">{relation}</span>
                      </button>
                    </li>
                  );
                })}
              </ul>
            </section>
          );
        })}
      </div>
    </div>
  );
}

function EdgeList({ edges }: { edges: ShownEdge[] }) {
  const { route } = useShared();
  const groups = (["recommended", "conditional", "blocked"] as const).map(
    (kind) => [kind, edges.filter((edge) => edge.kind === kind)] as const,
  );
  return (
    <>
      {groups
        .filter(([, list]) => list.length > 0)
        .map(([kind, list]) => (
          <Section title={inWordsOf[kind].replace(/^./, (letter) => letter.toUpperCase())} count={list.length}>
            <ul class="versions">
              {list.map((edge) => (
                <li>
                  <a href={linkTo({ view: "at", from: edge.from, to: edge.to, search: "" }, route)}>
                    {edge.from} <span aria-hidden="true">→</span>
                    <span class="hidden"> to </span> {edge.to}
                  </a>
                </li>
              ))}
            </ul>
          </Section>
        ))}
    </>
  );
}

export function GraphView() {
  const { route } = useShared();
  const { live, index } = useGraph();
  const [search, setSearch] = useSearch();
  const selected = route.from;
  const explained = useAnswer<Updates>(
    "/updates",
    selected === "" || index === null ? null : { channel: route.channel, arch: route.arch, release: selected, direction: route.direction },
    live.etag,
  );
  const layout = useMemo(() => layOut(index?.versions ?? []), [index]);
  const edges = useMemo(
    () => (index === null || !index.has(selected) ? [] : shownEdges(index, selected, route.direction, explained.body)),
    [index, selected, route.direction, explained.body],
  );
  if (index === null) return <Waiting live={live} what="This channel" />;
  if (index.versions.length === 0) return <EmptyChannel />;
  const wanted = search.trim();
  const found = wanted === "" ? null : new Set(index.versions.filter((version) => version.includes(wanted)));
  const select = (version: string) => {
    location.hash = linkTo({ from: version === selected ? "" : version, search }, route);
  };
  const direction = (value: "from" | "to", text: string) => (
    <a class="button" href={linkTo({ direction: value, search }, route)} aria-current={route.direction === value ? "true" : undefined}>
      {text}
    </a>
  );
  const text = () => edges.map((edge) => `${edge.from} -> ${edge.to}  ${edge.kind}\n`).join("") || `${index.versions.join("\n")}\n`;
  return (
    <>
      <Stale live={live} />
      <SearchField label="Find a release" value={search} onChange={setSearch} found={found?.size ?? 0} />
      <Legend />
      <Canvas layout={layout} edges={edges} selected={selected} found={found} select={select} />
      {!index.has(selected) ? (
        <p class="empty">
          {selected === "" ? "" : `This channel has no release ${selected}. `}Select a release: the graph then shows the updates from it, or into it.
        </p>
      ) : (
        <>
          <p class="directions" role="group" aria-label="Which updates of the selected release">
            {direction("from", `Updates from ${selected}`)} {direction("to", `Updates to ${selected}`)}
          </p>
          {edges.length === 0 ? (
            <p class="empty">
              No update leads {route.direction} {selected} in this channel.{" "}
              <a href={linkTo({ view: "at", to: "", search: "" }, route)}>See why.</a>
            </p>
          ) : (
            <EdgeList edges={edges} />
          )}
        </>
      )}
      <CopyButtons text={text} json={edges.length > 0 ? edges : live.body} />
    </>
  );
}
