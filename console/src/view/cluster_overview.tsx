// SPDX-License-Identifier: Apache-2.0

// The first page of a cluster: how it stands, what it may be updated to, and why the rest is not recommended.

import type { Cluster, Condition, ConditionalUpdate, Release, Status } from "../api/cluster_types";
import { clusterLink } from "../model/cluster_route";
import { clusterText, notRecommended } from "../model/cluster_reports";
import { cancelCommand, cancelWords, channelCommand, updateCommand, whyCommand } from "../model/commands";
import { conditionInWords, standingOf } from "../model/conditions";
import { inFull, notShown, obstacles, ofEarlierSpec, situationOf } from "../model/update_state";
import { Command } from "./cluster_parts";
import { CopyButtons, Foreign, ForeignLink, Section } from "./parts";

const classes = { well: "recommended", works: "conditional", care: "none", unknown: "" } as const;

export function Situation({ status }: { status: Partial<Status> }) {
  const situation = situationOf(status);
  const earlier = ofEarlierSpec(status);
  return (
    <>
      <p class={`verdict ${classes[situation.kind]}`}>
        <Foreign text={inFull(situation)} />
      </p>
      {earlier !== null && <p class="stale">{earlier}</p>}
    </>
  );
}

/** Says how much of the cluster is not shown. */
export function NotShown({ status }: { status: Partial<Status> }) {
  const text = notShown(status);
  return text === null ? null : <p class="stale">{text}</p>;
}

/** What stands in the place of a cluster that there is not. */
export function NoCluster() {
  return (
    <p class="empty">
      This cluster has no ClusterVersion <code>version</code>. Start the operator with <code>--release VERSION=IMAGE</code>, naming what runs here: it
      then makes one.
    </p>
  );
}

function Facts({ cluster }: { cluster: Cluster }) {
  const wanted = cluster.desiredUpdate;
  return (
    <dl class="facts">
      <div>
        <dt>Version</dt>
        <dd>{cluster.version ? <Foreign text={cluster.version} /> : "not known yet"}</dd>
      </div>
      <div>
        <dt>Channel</dt>
        <dd>{cluster.channel ? <Foreign text={cluster.channel} /> : "none"}</dd>
      </div>
      {wanted && (
        <div>
          <dt>Asked for</dt>
          <dd>
            <Foreign text={wanted.version ?? wanted.image ?? "no release"} />
            {wanted.force && " (by force)"}
          </dd>
        </div>
      )}
    </dl>
  );
}

function Recommended({ cluster }: { cluster: Cluster }) {
  const available: Release[] = cluster.available ?? [];
  return (
    <Section title="Recommended" count={available.length}>
      {available.length === 0 ? (
        <p class="empty">
          No update is recommended.{" "}
          {(cluster.conditional ?? []).length > 0 ? "See below why." : "Wait for a newer release, or choose another channel."}
        </p>
      ) : (
        <ul class="updates">
          {available.map((release) => (
            <li class="update recommended" key={release.version}>
              <strong>
                <Foreign text={release.version} />
              </strong>{" "}
              {release.url && <ForeignLink url={release.url} />}
              <Command what="To update" text={updateCommand(release.version, false)} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Conditional({ update }: { update: ConditionalUpdate }) {
  const unknown = update.recommended === undefined || update.recommended.status === "Unknown";
  return (
    <li class="update conditional">
      <strong>
        <Foreign text={update.version} />
      </strong>{" "}
      {unknown ? "It is not known whether its risks concern this cluster." : "Its risks concern this cluster."}
      <p class="message">
        <Foreign text={update.recommended?.message ?? "It was not evaluated yet."} />
      </p>
      <p>
        <a href={clusterLink("risks", update.version)}>
          Risks of <Foreign text={update.version} />: {update.risks.length}
        </a>
      </p>
    </li>
  );
}

function Attention({ conditions }: { conditions: Condition[] }) {
  const care = conditions.filter((each) => standingOf(each) === "care");
  if (care.length === 0) return null;
  return (
    <Section title="What asks for attention" count={care.length}>
      <ul class="problems">
        {care.map((each) => (
          <li class="problem" key={each.type}>
            <p>
              <strong>
                <Foreign text={each.type} />
              </strong>{" "}
              {conditionInWords(each)}
            </p>
            <p class="message">
              <Foreign text={each.message} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What is in the way of an update, in one line. */
function Waits({ status }: { status: Partial<Status> }) {
  const [first, ...others] = obstacles(status.update);
  if (first === undefined) return null;
  return (
    <p class="message">
      {first.stage === "failed" ? "In the way: " : "It waits for "}
      <Foreign text={first.message ?? first.object} />
      {others.length > 0 && ` (and ${others.length} more)`}
    </p>
  );
}

export function ClusterOverview({ status }: { status: Partial<Status> }) {
  const { cluster } = status;
  if (!cluster?.found) return <NoCluster />;
  const rest = notRecommended(cluster);
  return (
    <>
      <Situation status={status} />
      <Waits status={status} />
      <p>
        <a href={clusterLink("update")}>What the operator does now, and what it waits for</a>
      </p>
      <Facts cluster={cluster} />
      <Attention conditions={cluster.conditions ?? []} />
      <Recommended cluster={cluster} />
      {rest.length > 0 && (
        <Section title="Not recommended" count={rest.length}>
          <ul class="updates">
            {rest.map((update) => (
              <Conditional update={update} key={update.version} />
            ))}
          </ul>
        </Section>
      )}
      <Section title="Commands">
        <p>This page changes nothing. These commands do:</p>
        <Command what="Another channel" text={channelCommand} />
        {cluster.desiredUpdate && <Command what={cancelWords} text={cancelCommand} />}
        <Command what="In a terminal, why an update waits" text={whyCommand} />
      </Section>
      {cluster.upstream && (
        <p>
          Updates come from <ForeignLink url={cluster.upstream} />
          {cluster.upstreamSetBy === "operator" && ", as the operator was started with --upstream"}.
        </p>
      )}
      <NotShown status={status} />
      <CopyButtons text={() => clusterText(status)} json={cluster} />
    </>
  );
}
