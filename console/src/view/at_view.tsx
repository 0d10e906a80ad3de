// SPDX-License-Identifier: Apache-2.0

// "I am at V": what the cluster may do, which risks concern whom, and why it may not do the rest.

import { useMemo } from "preact/hooks";
import type { Updates } from "../api/types";
import { atVersion, type AtVersion, type ConditionalUpdates, type MissingUpdate } from "../model/at_version";
import { atVersionText } from "../model/reports";
import { linkTo } from "../model/route";
import { compareVersions } from "../model/version";
import { EmptyChannel, useGraph } from "./channel_view";
import { useAnswer, useShared } from "./context";
import { CopyButtons, fieldOf, Foreign, ForeignLink, RiskCard, Section, Stale, VersionField, Waiting } from "./parts";
import { ReasonList } from "./reasons";

/** Missing updates that are open from the beginning; the others one opens. */
const shown = 8;

function PathLink({ to }: { to: string }) {
  const { route } = useShared();
  return <a href={linkTo({ view: "path", to, avoid: [] }, route)}>Is there a way over other releases?</a>;
}

/** The answer to "May I go to W?". */
function OneAnswer({ at }: { at: AtVersion }) {
  const { route } = useShared();
  const { from, to } = route;
  const conditional = at.conditional.find((group) => group.to.includes(to));
  const missing = at.missing.find((update) => update.to === to);
  if (at.recommended.includes(to)) {
    return (
      <div class="verdict recommended">
        <p>
          Yes: the update from {from} to {to} is recommended to every cluster.
        </p>
      </div>
    );
  }
  if (conditional) {
    return (
      <div class="verdict conditional">
        <p>
          It depends: the update from {from} to {to} is recommended only to clusters that{" "}
          {conditional.risks.length === 1 ? "this risk does not concern" : "none of these risks concerns"}.
        </p>
        {conditional.risks.map((risk) => (
          <RiskCard risk={risk} />
        ))}
      </div>
    );
  }
  if (missing) {
    return (
      <div class="verdict none">
        <p>
          No: there is no update from {from} to {to}.
        </p>
        <ReasonList reasons={missing.reasons} />
        <p>
          <PathLink to={to} />
        </p>
      </div>
    );
  }
  return (
    <div class="verdict none">
      <p>
        {compareVersions(to, from) <= 0
          ? `No: updates lead upwards only, and ${to} is not higher than ${from}.`
          : `No: the channel has no release ${to}.`}
      </p>
    </div>
  );
}

/** Versions, each a link to the updates to it. */
function Versions({ of }: { of: string[] }) {
  const { route } = useShared();
  return (
    <ul class="versions">
      {of.map((to) => (
        <li>
          <a href={linkTo({ to }, route)}>{to}</a>
        </li>
      ))}
    </ul>
  );
}

function Conditional({ group }: { group: ConditionalUpdates }) {
  return (
    <li class="update conditional">
      <Versions of={group.to} />
      {group.risks.map((risk) => (
        <RiskCard risk={risk} />
      ))}
    </li>
  );
}

function Missing({ update, open }: { update: MissingUpdate; open: boolean }) {
  return (
    <li class="update none">
      <details open={open}>
        <summary>{update.to}</summary>
        <ReasonList reasons={update.reasons} />
        <p>
          <PathLink to={update.to} />
        </p>
      </details>
    </li>
  );
}

function Question({ versions }: { versions: string[] }) {
  const { route } = useShared();
  const submit = (event: Event) => {
    event.preventDefault();
    location.hash = linkTo({ from: fieldOf(event, "from"), to: fieldOf(event, "to") }, route);
  };
  return (
    <form onSubmit={submit} class="row">
      <VersionField label="I am at" name="from" value={route.from} versions={versions} required />
      <VersionField label="May I go to (optional)" name="to" value={route.to} versions={versions} />
      <button type="submit">Answer</button>
    </form>
  );
}

export function AtView() {
  const { route } = useShared();
  const { live: graph, index } = useGraph();
  const asked = route.from !== "";
  const live = useAnswer<Updates>(
    "/updates",
    // Once the graph is there: the service computes this answer, which is expensive in large channels.
    asked && index !== null ? { channel: route.channel, arch: route.arch, release: route.from } : null,
    graph.etag,
  );
  const at = useMemo(() => (live.body === null ? null : atVersion(live.body)), [live.body]);
  if (index === null) return <Waiting live={graph} what="This channel" />;
  if (index.versions.length === 0) return <EmptyChannel />;
  const page = index.node(route.from)?.metadata["url"];
  return (
    <>
      <Stale live={graph} />
      <Question versions={index.versions} />
      {!asked && <p class="empty">Choose the release that the cluster runs.</p>}
      {asked && <Waiting live={live} what="The updates of this release" />}
      {live.body !== null && live.body.reasons.length > 0 && (
        <div class="empty">
          <p>
            Nothing can be said about <Foreign text={route.from} /> in this channel:
          </p>
          <ReasonList reasons={live.body.reasons} />
        </div>
      )}
      {at !== null && live.body !== null && live.body.reasons.length === 0 && (
        <>
          {route.to !== "" && <OneAnswer at={at} />}
          {page && (
            <p>
              About {route.from}: <ForeignLink url={page} />
            </p>
          )}
          <Section title="Recommended" count={at.recommended.length}>
            {at.recommended.length === 0 ? (
              <p class="empty">
                No update is recommended to every cluster at {route.from}.
                {at.conditional.length + at.missing.length === 0
                  ? " It is the highest release of this channel: wait for a newer one, or look into another channel."
                  : " See below what is conditional, and why the others are missing."}
              </p>
            ) : (
              <Versions of={at.recommended} />
            )}
          </Section>
          {at.conditional.length > 0 && (
            <Section title="Recommended only where no risk concerns the cluster" count={at.conditional.reduce((sum, group) => sum + group.to.length, 0)}>
              <ul class="updates">
                {at.conditional.map((group) => (
                  <Conditional group={group} key={group.to.join()} />
                ))}
              </ul>
            </Section>
          )}
          {at.missing.length > 0 && (
            <Section title="No update to these" count={at.missing.length}>
              <ul class="updates">
                {at.missing.map((update, i) => (
                  <Missing update={update} open={i < shown || update.to === route.to} key={update.to} />
                ))}
              </ul>
            </Section>
          )}
          <p>
            <a href={linkTo({ view: "graph", to: "" }, route)}>Show these updates in the graph</a>
          </p>
          <CopyButtons text={() => atVersionText(route.channel, route.arch, route.from, at)} json={live.body} />
        </>
      )}
    </>
  );
}
