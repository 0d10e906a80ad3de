// SPDX-License-Identifier: Apache-2.0

// One channel: what it is, how large it is, and the way to the questions about it.

import { useMemo } from "preact/hooks";
import type { Channels, Graph, Stranded } from "../api/types";
import { GraphIndex } from "../model/graph_index";
import { linkTo } from "../model/route";
import { useAnswer, useShared } from "./context";
import { CopyButtons, fieldOf, Foreign, Section, Stale, VersionField, Waiting } from "./parts";

const architectures = ["amd64", "arm64", "multi", "ppc64le", "s390x"];

/** The graph of the channel of the route, live, and arranged. */
export function useGraph() {
  const { route } = useShared();
  const live = useAnswer<Graph>("/graph", route.channel === "" ? null : { channel: route.channel, arch: route.arch });
  const index = useMemo(() => (live.body === null ? null : new GraphIndex(live.body)), [live.body]);
  return { live, index };
}

/** Says why a channel is empty, and what to do. */
export function EmptyChannel() {
  const { route } = useShared();
  return (
    <div class="empty">
      <p>
        The channel <Foreign text={route.channel} /> has no releases for {route.arch} that you may see. Either there is no such channel, or
        it has no releases for this architecture, or it is private and you are not signed in.
      </p>
      <ArchitectureForm />
      <p>
        <a href="#/channels">All channels</a>
      </p>
    </div>
  );
}

function ArchitectureForm() {
  const { route } = useShared();
  const submit = (event: Event) => {
    event.preventDefault();
    const arch = fieldOf(event, "arch").toLowerCase();
    if (/^[0-9a-z]+$/.test(arch)) location.hash = linkTo({ arch }, route);
  };
  return (
    <form onSubmit={submit} class="row">
      <label>
        Architecture
        <input name="arch" list="architectures" key={route.arch} defaultValue={route.arch} pattern="[0-9a-zA-Z]+" autocomplete="off" />
        <datalist id="architectures">
          {architectures.map((arch) => (
            <option value={arch} />
          ))}
        </datalist>
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

function Stuck({ stranded }: { stranded: Stranded }) {
  const { route } = useShared();
  if (stranded.stranded.length === 0) {
    return <p>Every release reaches {stranded.highest} by recommended updates.</p>;
  }
  const stuck = new Set(stranded.stuck);
  return (
    <details>
      <summary>
        {stranded.stranded.length} {stranded.stranded.length === 1 ? "release does" : "releases do"} not reach {stranded.highest} by
        recommended updates alone; {stuck.size} of them not by conditional ones either.
      </summary>
      <ul class="versions">
        {stranded.stranded.map((version) => (
          <li>
            <a href={linkTo({ view: "path", from: version, to: stranded.highest }, route)}>{version}</a>
            {stuck.has(version) && " (stuck)"}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function ChannelView() {
  const { route } = useShared();
  const channels = useAnswer<Channels>("/channels", {});
  const { live, index } = useGraph();
  const stranded = useAnswer<Stranded>("/stranded", { channel: route.channel, arch: route.arch });
  if (index === null) return <Waiting live={live} what="This channel" />;
  if (index.versions.length === 0) return <EmptyChannel />;
  const description = channels.body?.channels[route.channel]?.description;
  const highest = index.versions[index.versions.length - 1] ?? "";
  const ask = (event: Event) => {
    event.preventDefault();
    const from = fieldOf(event, "from");
    if (from !== "") location.hash = linkTo({ view: "at", from }, route);
  };
  const updates = index.recommended + index.conditional;
  const facts = () =>
    `Channel ${route.channel} (${route.arch}): ${index.versions.length} releases, the highest ${highest}; ${updates} updates, ` +
    `${index.conditional} of them conditional\n`;
  return (
    <>
      <Stale live={live} />
      {description && (
        <p class="description">
          <Foreign text={description} />
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>Releases</dt>
          <dd>{index.versions.length}</dd>
        </div>
        <div>
          <dt>Highest</dt>
          <dd>{highest}</dd>
        </div>
        <div>
          <dt>Updates</dt>
          <dd>{updates}</dd>
        </div>
        <div>
          <dt>Recommended</dt>
          <dd>{index.recommended}</dd>
        </div>
        <div>
          <dt>Conditional</dt>
          <dd>{index.conditional}</dd>
        </div>
      </dl>
      <Section title="What may a cluster do?">
        <form onSubmit={ask} class="row">
          <VersionField label="I am at" name="from" value="" versions={index.versions} required />
          <button type="submit">Show what I may do</button>
        </form>
        <p>
          Or choose a release:
        </p>
        <ul class="versions">
          {[...index.versions].reverse().slice(0, 24).map((version) => (
            <li>
              <a href={linkTo({ view: "at", from: version }, route)}>{version}</a>
            </li>
          ))}
        </ul>
        {index.versions.length > 24 && (
          <p>
            These are the 24 highest; <a href={linkTo({ view: "graph" }, route)}>the graph</a> has all {index.versions.length}.
          </p>
        )}
      </Section>
      {stranded.body !== null && stranded.body.highest !== "" && (
        <Section title="Who is left behind?">
          <Stuck stranded={stranded.body} />
        </Section>
      )}
      <Section title="Another architecture">
        <ArchitectureForm />
      </Section>
      <CopyButtons text={facts} json={live.body} />
    </>
  );
}
