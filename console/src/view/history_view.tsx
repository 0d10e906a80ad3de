// SPDX-License-Identifier: Apache-2.0

// The releases that the cluster was updated to, with the risks that were accepted.

import type { HistoryEntry, Status } from "../api/cluster_types";
import { historyText } from "../model/cluster_reports";
import { NoCluster, NotShown } from "./cluster_overview";
import { Time } from "./cluster_parts";
import { CopyButtons, Foreign } from "./parts";

function Entry({ entry }: { entry: HistoryEntry }) {
  return (
    <li class="problem">
      <p>
        <strong>
          <Foreign text={entry.version} />
        </strong>{" "}
        {entry.state === "Completed" ? "was applied as a whole" : "was begun and not completed"}
        {entry.verified ? "; its signature counted." : "; no signature was verified."}
      </p>
      {entry.started && (
        <p>
          Begun <Time at={entry.started} />
        </p>
      )}
      {entry.completed && (
        <p>
          {entry.state === "Completed" ? "Completed" : "Ended"} <Time at={entry.completed} />
        </p>
      )}
      <p class="rule">
        <Foreign text={entry.image} />
      </p>
      {entry.acceptedRisks && (
        <>
          <p>Risks that were accepted:</p>
          <p class="message">
            <Foreign text={entry.acceptedRisks} />
          </p>
        </>
      )}
    </li>
  );
}

export function HistoryView({ status }: { status: Partial<Status> }) {
  if (!status.cluster?.found) return <NoCluster />;
  const history = status.cluster.history ?? [];
  if (history.length === 0)
    return (
      <p class="empty">
        There is no history: it is not known what runs here. Start the operator with <code>--release VERSION=IMAGE</code>.
      </p>
    );
  return (
    <>
      <ol class="problems" aria-label="History, the newest first">
        {history.map((entry, i) => (
          <Entry entry={entry} key={`${i} ${entry.version}`} />
        ))}
      </ol>
      <NotShown status={status} />
      <CopyButtons text={() => historyText(history)} json={history} />
    </>
  );
}
