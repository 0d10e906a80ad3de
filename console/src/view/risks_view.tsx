// SPDX-License-Identifier: Apache-2.0

// Each risk with its verdict: its query, the series that decided, and when it is asked again.

import type { RiskState, Status } from "../api/cluster_types";
import { clusterLink } from "../model/cluster_route";
import { risksOf, risksText } from "../model/cluster_reports";
import { acceptCommand, updateCommand } from "../model/commands";
import { NoCluster } from "./cluster_overview";
import { Command, Time } from "./cluster_parts";
import { CopyButtons, Foreign, RiskCard, Section } from "./parts";

const verdicts: Record<RiskState["verdict"], { text: string; of: string }> = {
  matches: { text: "Concerns this cluster", of: "none" },
  failed: { text: "Could not be evaluated", of: "conditional" },
  waiting: { text: "Was not evaluated yet", of: "conditional" },
  "does not match": { text: "Does not concern this cluster", of: "recommended" },
};
const order = Object.keys(verdicts);

function Decision({ risk }: { risk: RiskState }) {
  if (risk.decidedBy === "Always" || (risk.matchingRules.length === 0 && risk.verdict === "matches")) return <p>It concerns every cluster, so that nothing is asked.</p>;
  return (
    <>
      {risk.value !== undefined && (
        <p>
          Decided by <code>{risk.series === undefined ? "a sample without labels" : <Foreign text={risk.series} />}</code> with the value <Foreign text={risk.value} />
        </p>
      )}
      {risk.error !== undefined && (
        <p class="message">
          <Foreign text={risk.error} />
        </p>
      )}
      {(risk.warnings ?? []).map((warning) => (
        <p>
          Warning: <Foreign text={warning} />
        </p>
      ))}
      {risk.last && (
        <p>
          Evaluated <Time at={risk.last} />
          {risk.evaluator && <Foreign text={` by the evaluator ${risk.evaluator}`} />}
        </p>
      )}
      {risk.next && (
        <p>
          Asked next <Time at={risk.next} />, at the earliest{risk.place !== undefined && `; place ${risk.place} in the queue`}
        </p>
      )}
    </>
  );
}

function RiskItem({ risk }: { risk: RiskState }) {
  const { text, of } = verdicts[risk.verdict];
  return (
    <li class={`update ${of}`}>
      <p>
        <strong>{text}</strong>: a risk of{" "}
        {risk.versions.map((version, i) => (
          <>
            {i > 0 && ", "}
            <Foreign text={version} />
          </>
        ))}
      </p>
      <RiskCard risk={risk} />
      <Decision risk={risk} />
      {risk.verdict === "matches" && <Command what="To accept it for all updates" text={acceptCommand(risk.name)} />}
    </li>
  );
}

export function RisksView({ status, version }: { status: Partial<Status>; version: string }) {
  if (!status.cluster?.found) return <NoCluster />;
  const risks = [...risksOf(status, version)].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  const leftOut = status.risks?.leftOut ?? 0;
  return (
    <>
      {version !== "" && (
        <>
          <p>
            <a href={clusterLink("risks")}>Risks of all updates</a>
          </p>
          {status.cluster.conditional?.some((update) => update.version === version && update.recommended?.status !== "True") && (
            <Command what="To update in spite of them" text={updateCommand(version, true)} />
          )}
        </>
      )}
      {risks.length === 0 ? (
        <p class="empty">
          {version !== ""
            ? `No risk of an update to ${version} is known: it may be recommended to every cluster, or be no update of this one.`
            : status.risks?.time === undefined
              ? "No risk was evaluated yet: the operator asks the update service first. The condition RetrievedUpdates says how that went."
              : "None of the updates has risks."}
        </p>
      ) : (
        <Section title="Risks" count={risks.length}>
          <ul class="updates">
            {risks.map((risk) => (
              <RiskItem risk={risk} key={`${risk.name} ${JSON.stringify(risk.matchingRules)}`} />
            ))}
          </ul>
        </Section>
      )}
      {leftOut > 0 && <p class="stale">{leftOut} more are not shown here; fairway risk status has them.</p>}
      <CopyButtons text={() => risksText(risks)} json={risks} />
    </>
  );
}
