// SPDX-License-Identifier: Apache-2.0

#include "payload/apply_plan.h"

#include <utility>

#include "kube/apply/run_steps.h"
#include "payload/internal/plan_run.h"
#include "payload/internal/progress_board.h"

namespace fairway::payload {

Result<ApplyReport> apply_plan(const kube::DynamicClient& objects, const Plan& plan,
                               const ApplyPlanOptions& options, const Limits& limits) {
  ProgressBoard board(plan.total(), options.on_progress, options.on_step);
  PlanRun run(objects, plan, options, board);
  std::vector<kube::Step> steps;
  steps.reserve(plan.steps.size());
  for (const PlanStep& step : plan.steps) {
    kube::Step work{.name = step.name, .needs = step.needs, .run = {}};
    if (step.action != Action::join)
      work.run = [&run, &step](const Limits& within) { return run.run(step, within); };
    steps.push_back(std::move(work));
  }
  Clock& clock = objects.client()->clock();
  auto ran = kube::run_steps(steps, {.parallelism = options.parallelism}, clock, limits);
  if (!ran) return fail(ran.error().within("planning the release " + plan.version));
  ApplyReport report{.progress = board.progress(), .ended = ran->ended};
  const bool all_done = ran->count(kube::StepResult::Outcome::done) == steps.size();
  if (all_done || report.ended || report.progress.error) return report;
  if (limits.expired(clock)) {
    const bool stopped = limits.stop.stop_requested();
    report.ended = Error{stopped ? ErrorCode::cancelled : ErrorCode::deadline_exceeded,
                         stopped ? "it was stopped" : "its time is over"};
    return report;
  }
  // A step ended without saying why, as after an exception.
  report.progress.error =
      UpdateError{.reason = "UpdatePayloadFailed", .message = ran->result().error().message};
  return report;
}

}  // namespace fairway::payload
