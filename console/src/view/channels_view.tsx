// SPDX-License-Identifier: Apache-2.0

// The list of channels.

import type { Channels } from "../api/types";
import { linkTo } from "../model/route";
import { useAnswer, useShared } from "./context";
import { visible } from "../model/hostile_text";
import { CopyButtons, Foreign, Section, Stale, Waiting } from "./parts";
import { SearchField, useSearch } from "./search_field";

/** So many channels without descriptions stand side by side, by the part of their names before the version. */
const manyChannels = 12;

function ChannelLink({ name }: { name: string }) {
  const { route } = useShared();
  return (
    <a href={linkTo({ view: "channel", channel: name, arch: route.arch })}>
      <Foreign text={name} />
    </a>
  );
}

function ChannelGroups({ names }: { names: string[] }) {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const kind = name.replace(/-\d.*$/, "");
    groups.set(kind, [...(groups.get(kind) ?? []), name]);
  }
  return (
    <>
      {[...groups].map(([kind, members]) => (
        <Section title={visible(kind)} count={members.length}>
          <ul class="versions">
            {members.reverse().map((name) => (
              <li key={name}>
                <ChannelLink name={name} />
              </li>
            ))}
          </ul>
        </Section>
      ))}
    </>
  );
}

export function ChannelsView() {
  const [search, setSearch] = useSearch();
  const live = useAnswer<Channels>("/channels", {});
  if (live.body === null) return <Waiting live={live} what="The list of channels" />;
  const all = Object.entries(live.body.channels).sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  if (all.length === 0) {
    return (
      <p class="empty">
        There are no channels that you may see. Channels come from the files of <code>channels/</code> in the graph data;{" "}
        <a href="#/problems">Problems</a> names files that are not understood. Private channels need credentials: sign in.
      </p>
    );
  }
  const wanted = search.trim().toLowerCase();
  const found = all.filter(([name, { description }]) => `${name} ${description ?? ""}`.toLowerCase().includes(wanted));
  const text = () => found.map(([name, { description }]) => `${name}${description ? `  ${description}` : ""}\n`).join("");
  return (
    <>
      <Stale live={live} />
      <p>Which channel is your cluster in? A channel answers what its releases may update to, and why not.</p>
      <SearchField label="Find a channel" value={search} onChange={setSearch} found={found.length} />
      {found.length === 0 ? (
        <p class="empty">No channel has this in its name or description; clear the field to see all {all.length}.</p>
      ) : all.length > manyChannels && all.every(([, { description }]) => !description) ? (
        <ChannelGroups names={found.map(([name]) => name)} />
      ) : (
        <ul class="channels">
          {found.map(([name, { description }]) => (
            <li key={name}>
              <ChannelLink name={name} />
              {description && (
                <p>
                  <Foreign text={description} />
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      <CopyButtons text={text} json={live.body} />
    </>
  );
}
