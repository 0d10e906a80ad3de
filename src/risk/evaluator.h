// SPDX-License-Identifier: Apache-2.0

// The interface between rounds, which do no I/O, and the sources of metrics.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "promql/engine/engine.h"
#include "risk/answer.h"
#include "risk/condition.h"

namespace fairway::risk {

/// Returns the limits of one evaluation beside all other work of a cluster's operator: 64 MiB of labels and
/// 80 MB of samples.
inline promql::EngineOptions evaluation_limits() {
  promql::EngineOptions limits;
  limits.max_samples = 5'000'000;
  limits.max_label_bytes = std::size_t{64} << 20;
  return limits;
}

/// Limits on the processor time of local evaluations. An evaluation that exceeds it fails.
struct CpuLimits {
  std::chrono::nanoseconds slot = std::chrono::milliseconds(500);
  /// Limit for all slots of one round together.
  std::chrono::nanoseconds round = std::chrono::seconds(1);
  /// Returns the processor time that the thread has used so far.
  std::function<std::chrono::nanoseconds()> time = promql::thread_cpu_time;
};

/// Evaluates questions. Implementations: remote (sends every query to Prometheus), snapshot (fetches series
/// once and evaluates all queries locally) and local (scrapes series itself). Called by one round at a time.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Returns the name in status and flags: "remote", with static lifetime.
  virtual std::string_view name() const = 0;
  /// Returns whether one slot may answer several questions. If false, `evaluate` gets exactly one.
  virtual bool evaluates_batches() const = 0;
  /// Begins a round, and resets its budget.
  virtual void begin_round() {}

  /// Uses one slot of the polling rules. `due` is never empty and has no duplicates. The slot belongs to the
  /// first question, which must be answered; the others are due too, longest waiting first, and are answered
  /// if the same slot can serve them. `early` questions are requested, and more than half of their hourly
  /// interval has passed: an evaluator that answers many at once may include them, so that all become due
  /// together. The result has one entry for each of `due`, and may have one for each of `early` after them;
  /// std::nullopt means that the question is still pending. On a stop request return soon; the result is then
  /// discarded. Every failure is an answer (`Answer::failure`) of the due questions; `Answer::spent` says how
  /// it counts against the polling rules.
  virtual std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                                      std::span<const Question* const> early,
                                                      std::stop_token stop) = 0;
};

}  // namespace fairway::risk
