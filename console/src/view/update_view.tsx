// SPDX-License-Identifier: Apache-2.0

// What the operator does now: its state, the run levels of the release, what they wait for, and migrations.

import type { Migration, Plan, Status, Step } from "../api/cluster_types";
import { updateText } from "../model/cluster_reports";
import { visible } from "../model/hostile_text";
import { cancelCommand, cancelWords, whyCommand } from "../model/commands";
import { course, obstacles, presentState, stateWords } from "../model/update_state";
import { NoCluster, Situation } from "./cluster_overview";
import { Command, Time } from "./cluster_parts";
import { CopyButtons, Foreign, Section } from "./parts";

/** A count as a bar, which a screen reader reads as its label. */
function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return <progress max={Math.max(total, 1)} value={total === 0 ? 1 : done} aria-label={visible(label)} />;
}

function States({ status }: { status: Partial<Status> }) {
  const { update } = status;
  const state = presentState(update);
  if (state === null) return <p class="empty">The operator has not begun to look at updates: it starts, or another replica leads.</p>;
  const machine = course.includes(state.state) ? course : [...course, state.state];
  return (
    <>
      <ol class="machine" aria-label="States of an update">
        {machine.map((each) => (
          <li aria-current={each === state.state ? "step" : undefined}>{each}</li>
        ))}
      </ol>
      <p>
        <strong>{state.state}</strong> since <Time at={state.since} />: {stateWords[state.state]}
      </p>
      {update?.until && (
        <p>
          It goes on <Time at={update.until} />, or when something changes.
        </p>
      )}
      <details>
        <summary>The states before</summary>
        <ol class="states">
          {(update?.states ?? []).map((each) => (
            <li>
              {each.state} <Time at={each.since} />
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}

const stages = { running: "is applied", waiting: "waits", failed: "has failed" } as const;

function StepItem({ step }: { step: Step }) {
  return (
    <li class={`update ${step.stage === "failed" ? "none" : step.stage === "waiting" ? "conditional" : ""}`}>
      <p>
        <strong>
          <Foreign text={step.object} />
        </strong>{" "}
        {stages[step.stage]}
        {step.level && <Foreign text={` in run level ${step.level}`} />} since <Time at={step.since} />
      </p>
      {step.message && (
        <p class="message">
          <Foreign text={step.message} />
        </p>
      )}
      <p class="rule">
        <Foreign text={step.file} />
      </p>
    </li>
  );
}

function Levels({ plan }: { plan: Plan }) {
  return (
    <ol class="levels" aria-label="Run levels">
      {plan.levels.map((level) => {
        const name = level.level === "" ? "Files without a run level" : `Run level ${level.level}`;
        const counted = `${level.done} of ${level.total} done${level.failed > 0 ? `, ${level.failed} failed` : ""}`;
        return (
          <li key={level.level} class={level.failed > 0 ? "none" : level.active > 0 ? "conditional" : level.done === level.total ? "recommended" : ""}>
            <span>
              <Foreign text={name} />: {counted}
            </span>
            <Progress done={level.done} total={level.total} label={`${name}: ${counted}`} />
            {level.done < level.total && level.components.length > 0 && (
              <span class="components">
                Not done: <Foreign text={level.components.join(", ")} />
                {level.moreComponents > 0 && ` and ${level.moreComponents} more`}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}

const modes = { initializing: "The release is applied for the first time", updating: "The release is applied, level after level", reconciling: "What somebody else has changed is put back" } as const;
const outcomes = { done: "It ended well", failed: "It failed, and begins again", interrupted: "It was interrupted" } as const;

function Steps({ status, plan }: { status: Partial<Status>; plan: Plan }) {
  const waits = obstacles(status.update);
  const runs = plan.steps.filter((step) => step.stage === "running");
  return (
    <>
      <Section title="What it waits for" count={waits.length}>
        {waits.length === 0 ? (
          <p class="empty">Nothing is in the way.</p>
        ) : (
          <ul class="updates">
            {waits.map((step) => (
              <StepItem step={step} key={step.name} />
            ))}
          </ul>
        )}
        {plan.leftOut > 0 && <p>And {plan.leftOut} more.</p>}
      </Section>
      {runs.length > 0 && (
        <Section title="Applied now" count={runs.length}>
          <ul class="updates">
            {runs.map((step) => (
              <StepItem step={step} key={step.name} />
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function MigrationItem({ migration }: { migration: Migration }) {
  const what = `${migration.kind} of ${migration.group}`;
  const counted = migration.done === undefined ? "not begun" : `${migration.done}${migration.total === undefined ? "" : ` of ${migration.total}`} objects`;
  const said = migration.conditions.find((each) => each.type === "Completed") ?? migration.conditions[0];
  return (
    <li class={`update ${migration.completed ? "recommended" : "conditional"}`}>
      <p>
        <strong>
          <Foreign text={what} />
        </strong>{" "}
        from <Foreign text={migration.from} /> to <Foreign text={migration.to} />: {migration.completed ? "completed" : counted}
        {migration.dryRun && " (dry run)"}
      </p>
      {!migration.completed && migration.done !== undefined && migration.total !== undefined && (
        <Progress done={Math.min(migration.done, migration.total)} total={migration.total} label={`${migration.name}: ${counted}`} />
      )}
      {migration.waitingSince && (
        <p>
          Waits since <Time at={migration.waitingSince} />: <Foreign text={migration.waitingFor ?? ""} />
        </p>
      )}
      {(migration.leftOut ?? 0) > 0 && <p>{migration.leftOut} objects could not be written.</p>}
      {!migration.completed && said !== undefined && (
        <p class="message">
          <Foreign text={`${said.reason}: ${said.message}`} />
        </p>
      )}
      {migration.lastError && (
        <p class="message">
          <Foreign text={migration.lastError} />
        </p>
      )}
    </li>
  );
}

export function UpdateView({ status }: { status: Partial<Status> }) {
  if (!status.cluster?.found) return <NoCluster />;
  const plan = status.update?.plan;
  const migrations = status.migrations?.migrations ?? [];
  const leftOut = status.migrations?.leftOut ?? 0;
  const accepted = status.cluster.conditions?.find((each) => each.type === "ReleaseAccepted" && each.status !== "True");
  return (
    <>
      <Situation status={status} />
      {accepted && (
        <p class="message">
          <Foreign text={accepted.message} />
        </p>
      )}
      <Section title="What the operator does">
        <States status={status} />
      </Section>
      {plan !== undefined && (
        <>
          <Steps status={status} plan={plan} />
          <Section title="Run levels">
            <p>
              Release <Foreign text={plan.version} />: {modes[plan.mode]}. {plan.done} of {plan.total} manifests are done
              {plan.outcome !== undefined && `. ${outcomes[plan.outcome]}`}.
            </p>
            <p>
              Begun <Time at={plan.started} />
              {plan.ended && (
                <>
                  , ended <Time at={plan.ended} />
                </>
              )}
            </p>
            <Progress done={plan.done} total={plan.total} label="Manifests that are done" />
            <Levels plan={plan} />
          </Section>
        </>
      )}
      <Section title="Migrations of stored objects" count={migrations.length}>
        {migrations.length === 0 ? (
          <p class="empty">None: no kind of this release is stored in another version than before, or all was migrated and cleared away.</p>
        ) : (
          <ul class="updates">
            {migrations.map((each) => (
              <MigrationItem migration={each} key={`${each.namespace}/${each.name}`} />
            ))}
          </ul>
        )}
        {leftOut > 0 && <p class="stale">And {leftOut} more; kubectl get conversions -A has all.</p>}
      </Section>
      <Section title="Commands">
        <Command what="In a terminal, with what usually helps" text={whyCommand} />
        {status.cluster.desiredUpdate && <Command what={cancelWords} text={cancelCommand} />}
      </Section>
      <CopyButtons text={() => updateText(status)} json={{ update: status.update, migrations: status.migrations }} />
    </>
  );
}
