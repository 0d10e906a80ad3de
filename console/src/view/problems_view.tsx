// SPDX-License-Identifier: Apache-2.0

// What the service did not understand, and what fixes it.

import type { Problem, Problems } from "../api/types";
import { problemsText } from "../model/reports";
import { useAnswer } from "./context";
import { CopyButtons, Foreign, PlaceInFile, Stale, Waiting } from "./parts";
import { remedies } from "./problem_kinds";

function ProblemItem({ problem }: { problem: Problem }) {
  return (
    <li class="problem">
      <p>
        <strong>
          <Foreign text={problem.kind} />
        </strong>{" "}
        <PlaceInFile of={problem} />
      </p>
      <p class="message">
        <Foreign text={problem.message} />
      </p>
      {remedies[problem.kind] && <p>To do: {remedies[problem.kind]}</p>}
    </li>
  );
}

export function ProblemsView() {
  const live = useAnswer<Problems>("/problems", {});
  if (live.body === null) return <Waiting live={live} what="The list of problems" />;
  const { problems } = live.body;
  return (
    <>
      <Stale live={live} />
      {problems.length === 0 ? (
        <p class="empty">No problems: all that the service has read is understood and served.</p>
      ) : (
        <>
          <p>What the service did not understand or left out of its graphs, and what that does to them.</p>
          <ul class="problems">
            {problems.map((problem) => (
              <ProblemItem problem={problem} />
            ))}
          </ul>
        </>
      )}
      <CopyButtons text={() => problemsText(problems)} json={live.body} />
    </>
  );
}
