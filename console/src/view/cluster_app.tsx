// SPDX-License-Identifier: Apache-2.0

// The page of a cluster: what the operator knows of it, live.

import { useEffect, useMemo } from "preact/hooks";
import { clusterLink, readClusterRoute, type ClusterView } from "../model/cluster_route";
import { browserTimer } from "../model/live";
import { followAt, LiveStatus } from "../model/live_status";
import { situationOf } from "../model/update_state";
import { ClusterOverview } from "./cluster_overview";
import { ConditionsView } from "./conditions_view";
import { useStore } from "./context";
import { apiBase, Frame, Guarded, NavigationLink, useHash } from "./frame";
import { HistoryView } from "./history_view";
import { Foreign } from "./parts";
import { RisksView } from "./risks_view";
import { UpdateView } from "./update_view";

const titles: Record<ClusterView, string> = {
  cluster: "Cluster",
  update: "Update",
  risks: "Risks",
  conditions: "Conditions",
  history: "History",
};

/** Says why there is nothing to see, or why it may not be all. */
function Notice({ live }: { live: LiveStatus }) {
  const status = useStore(live.status);
  const refusal = useStore(live.refusal);
  if (refusal !== null) {
    return (
      <p class="refused" role="alert">
        The operator does not show its status: <Foreign text={refusal.message} />
      </p>
    );
  }
  if (status.program === undefined) return null;
  if (!status.program.leads) {
    return (
      <p class="stale" role="status">
        This replica of the operator does not lead: it knows neither risks nor the update. Ask the one that leads; its name is in the Lease.
      </p>
    );
  }
  return null;
}

/** Reads out how the cluster stands when that changes, and not with each manifest. */
function Announcement({ live }: { live: LiveStatus }) {
  const status = useStore(live.status);
  return (
    <p class="hidden" role="status">
      {status.cluster !== undefined && <Foreign text={situationOf(status).text} />}
    </p>
  );
}

function Body({ live, view, version }: { live: LiveStatus; view: ClusterView; version: string }) {
  const status = useStore(live.status);
  const lost = useStore(live.connection.lostSince);
  if (status.cluster === undefined) {
    return lost === null ? (
      <p class="empty" role="status">
        Loading …
      </p>
    ) : (
      <p class="empty">The cluster cannot be shown before the operator is reached. Is it running, and does its --status-listen have this address?</p>
    );
  }
  switch (view) {
    case "cluster": return <ClusterOverview status={status} />;
    case "update": return <UpdateView status={status} />;
    case "risks": return <RisksView status={status} version={version} />;
    case "conditions": return <ConditionsView status={status} />;
    case "history": return <HistoryView status={status} />;
  }
}

export function ClusterApp() {
  const live = useMemo(() => new LiveStatus(followAt(apiBase()), browserTimer), []);
  useEffect(() => () => live.stop(), [live]);
  const { view, version } = useHash(readClusterRoute);
  return (
    <Frame
      to="operator"
      connection={live.connection}
      home={clusterLink("cluster")}
      title={`${titles[view]}${version === "" ? "" : ` of ${version}`}`}
      navigation={(Object.keys(titles) as ClusterView[]).map((each) => (
        <NavigationLink href={clusterLink(each)} here={each === view}>
          {titles[each]}
        </NavigationLink>
      ))}
    >
      <Announcement live={live} />
      <Notice live={live} />
      <Guarded by="operator" key={view}>
        {() => <Body live={live} view={view} version={version} />}
      </Guarded>
    </Frame>
  );
}
