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
  /// Unique: "0000_50_dns/deployment".
  std::string name;
  /// Names of the steps that must be done before.
  std::vector<std::string> needs;
  /// The work. It must keep within its limits. Empty: a step that only joins others.
  std::function<Result<void>(const Limits& limits)> run;
};

struct StepResult {
  enum class Outcome {
    done,
    failed,
    skipped,      ///< a step that it needs, directly or not, failed
    not_started,  ///< stopped before
  };
  std::string name;
  Outcome outcome = Outcome::not_started;
  /// Of a step that failed.
  std::optional<Error> error;
  /// The step whose failure this was skipped for.
  std::string blocked_by;
  /// When it started, and how long it took: done and failed only.
  WallTime started;
  std::chrono::nanoseconds took{0};
};

/// "done", "failed", "skipped", "not started".
std::string_view to_string(StepResult::Outcome outcome);

struct StepProgress {
  enum class Event { started, ended, skipped };
  Event event = Event::started;
  const StepResult& step;
  /// Steps that are done, and all of them.
  std::size_t done = 0, total = 0;
  /// Those that run now, in their order.
  std::vector<std::string> running;
};

struct RunStepsOptions {
  /// Steps at once, each on a thread.
  int parallelism = 8;
  /// After a failure: go on with the steps that do not need the one that failed, or start no more. Steps that
  /// run are not interrupted.
  enum class OnFailure { go_on, stop };
  OnFailure on_failure = OnFailure::go_on;
  /// Called for one event at a time; must return soon, and not throw.
  std::function<void(const StepProgress& progress)> on_progress;
};

struct StepsReport {
  /// In the order given.
  std::vector<StepResult> steps;
  /// Why steps were not started: `cancelled` or `deadline_exceeded`; std::nullopt if the limits did not
  /// expire.
  std::optional<Error> ended;

  std::size_t count(StepResult::Outcome outcome) const;
  /// An error if not all steps are done. It names the failures (ten at most), counts the steps that were
  /// skipped and not started, and has the code of the first failure.
  Result<void> result() const;
};

/// Runs all steps, each after those that it needs; otherwise in the order given. An exception of a step is
/// its failure (`internal`). When the limits expire nothing more is started, and this returns when the
/// running steps have. Errors (`invalid`), before anything is run: a step without a name, two of one name, an
/// unknown need, a cycle.
Result<StepsReport> run_steps(const std::vector<Step>& steps, const RunStepsOptions& options, Clock& clock,
                              const Limits& limits);

}  // namespace fairway::kube
