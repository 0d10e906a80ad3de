// SPDX-License-Identifier: Apache-2.0

// The work of each step of a plan.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "payload/apply_plan.h"
#include "payload/internal/progress_board.h"

namespace fairway::payload {

/// Executes the steps of a plan. Everything that it refers to must outlive it. Thread-safe.
class PlanRun {
 public:
  PlanRun(const kube::DynamicClient& objects, const Plan& plan, const ApplyPlanOptions& options,
          ProgressBoard& board);

  /// Executes the step, and reports its progress on the board.
  Result<void> run(const PlanStep& step, const Limits& limits);

 private:
  using Attempt = std::function<kube::ApiResult<void>(const Limits& limits)>;

  /// Repeats an attempt to write until it succeeds, fails for good, or there have been enough attempts.
  kube::ApiResult<void> write(const Limits& limits, const Attempt& attempt) const;
  Result<void> put(const PlanStep& step, const Limits& limits);
  Result<void> remove(const PlanStep& step, const Limits& limits);
  Result<void> migrate(const PlanStep& step, const Limits& limits);
  Result<void> convert(const PlanStep& step, const k8s::Dynamic& conversion, const Limits& limits);
  Result<void> wait(const PlanStep& step, const k8s::Dynamic& object, const Limits& limits);
  /// Records that a CRD needs no migration if, when it was applied, its objects were in no other version.
  void record_stored_versions(const PlanStep& step, const k8s::Dynamic& answer);
  /// Returns whether the step has nothing to wait for.
  bool is_ready(const PlanStep& step, const k8s::Dynamic& expected, const k8s::Dynamic& actual) const;
  k8s::Readiness look(const PlanStep& step, const k8s::Dynamic& expected, const k8s::Dynamic* actual);
  /// Records why the step has failed, unless it was stopped.
  Result<void> end(const PlanStep& step, Result<void> outcome, UpdateError error, const Limits& limits);
  UpdateError server_error(const PlanStep& step, const kube::ApiError& error) const;

  const kube::DynamicClient& objects_;
  const Plan& plan_;
  const ApplyPlanOptions& options_;
  ProgressBoard& board_;
  Clock& clock_;
  const std::size_t total_;
  std::mutex mutex_;                          ///< guards the set below
  std::set<std::size_t> needs_no_migration_;  ///< indices of manifests
};

}  // namespace fairway::payload
