// SPDX-License-Identifier: Apache-2.0

// Runs steps that need each other, several at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

namespace fairway::kube {

struct Step {
  /// Unique name: "0000_50_dns/deployment".
  std::string name = {};
  /// Names of the steps that must be done before this one.
  std::vector<std::string> needs = {};
  /// The work. It must keep within its limits. Empty: the step only joins others.
  std::function<Result<void>(const Limits& limits)> run = {};
};

struct StepResult {
  enum class Outcome {
    done,
    failed,
    skipped,      ///< a step that it needs, directly or not, failed
    not_started,  ///< the run stopped before it
  };
  std::string name = {};
  Outcome outcome = Outcome::not_started;
  /// Error of a failed step.
  std::optional<Error> error = {};
  /// Name of the step whose failure caused this one to be skipped.
  std::string blocked_by = {};
  /// Start time and duration; set only for done and failed steps.
  WallTime started = {};
  std::chrono::nanoseconds took{0};
};

/// Returns "done", "failed", "skipped" or "not started".
std::string_view to_string(StepResult::Outcome outcome);

struct StepProgress {
  enum class Event { started, ended, skipped };
  Event event = Event::started;
  const StepResult& step;
  /// Number of steps that are done, and of all steps.
  std::size_t done = 0, total = 0;
  /// Names of the running steps, in the order of the steps.
  std::vector<std::string> running = {};
};

struct RunStepsOptions {
  /// Number of steps at once, each on a thread.
  int parallelism = 8;
  /// Behaviour after a failure: go on with the steps that do not need the failed one, or start no more.
  /// Running steps are not interrupted.
  enum class OnFailure { go_on, stop };
  OnFailure on_failure = OnFailure::go_on;
  /// Called for one event at a time; must return soon, and not throw.
  std::function<void(const StepProgress& progress)> on_progress = {};
};

struct StepsReport {
  /// Results, in the order of the steps given.
  std::vector<StepResult> steps = {};
  /// Reason why steps were not started: `cancelled` or `deadline_exceeded`; std::nullopt if the limits did
  /// not expire.
  std::optional<Error> ended = {};

  std::size_t count(StepResult::Outcome outcome) const;
  /// Returns an error if not all steps are done. It names the failures (ten at most), counts the steps that
  /// were skipped and not started, and has the code of the first failure.
  Result<void> result() const;
};

/// Runs all steps, each after the steps that it needs, otherwise in the order given. An exception of a step
/// is its failure (`internal`). When the limits expire, nothing more is started, and this returns when the
/// running steps have returned. Errors (`invalid`), before anything is run: a step without a name, two steps
/// of one name, an unknown need, a cycle.
Result<StepsReport> run_steps(const std::vector<Step>& steps, const RunStepsOptions& options, Clock& clock,
                              const Limits& limits);

}  // namespace fairway::kube
