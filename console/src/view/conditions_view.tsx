// SPDX-License-Identifier: Apache-2.0

// The conditions of ClusterVersion in words, those first that ask for attention.

import type { Condition, Status } from "../api/cluster_types";
import { conditionsText } from "../model/cluster_reports";
import { byAttention, conditionInWords, standingOf } from "../model/conditions";
import { NoCluster, NotShown } from "./cluster_overview";
import { Time } from "./cluster_parts";
import { CopyButtons, Foreign } from "./parts";

const standings = { well: "recommended", care: "none", neither: "" } as const;

function ConditionItem({ condition }: { condition: Condition }) {
  return (
    <li class={`problem ${standings[standingOf(condition)]}`}>
      <p>
        <strong>
          <Foreign text={condition.type} />
        </strong>{" "}
        is {condition.status}
        {condition.reason !== "" && (
          <>
            {" "}
            (<Foreign text={condition.reason} />)
          </>
        )}
        : {conditionInWords(condition)}
      </p>
      {condition.message !== "" && (
        <p class="message">
          <Foreign text={condition.message} />
        </p>
      )}
      {condition.since && (
        <p>
          Since <Time at={condition.since} />
        </p>
      )}
    </li>
  );
}

export function ConditionsView({ status }: { status: Partial<Status> }) {
  if (!status.cluster?.found) return <NoCluster />;
  const conditions = status.cluster.conditions ?? [];
  if (conditions.length === 0) return <p class="empty">ClusterVersion has no conditions yet: the operator writes them when it has looked at the cluster.</p>;
  return (
    <>
      <ul class="problems">
        {byAttention(conditions).map((each) => (
          <ConditionItem condition={each} key={each.type} />
        ))}
      </ul>
      <NotShown status={status} />
      <CopyButtons text={() => conditionsText(conditions)} json={conditions} />
    </>
  );
}
