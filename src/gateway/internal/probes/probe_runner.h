// SPDX-License-Identifier: Apache-2.0

// Sends probes, on threads of its own, and again from time to time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/timed_condition.h"
#include "gateway/internal/model/probe.h"

namespace fairway::gateway {

struct ProbeSchedule {
  /// Time that a probe may take.
  std::chrono::nanoseconds limit = std::chrono::seconds(1);
  /// Number of probes that run at once.
  int threads = 4;
  /// Time after which a successful probe is repeated, so that its answer is recent.
  std::chrono::nanoseconds again = std::chrono::seconds(10);
  /// Failures in a row after which traffic is known not to flow. A single failure may be a listener that has
  /// not started yet.
  int failures = 3;
  BackoffSchedule backoff = {.first = std::chrono::milliseconds(10), .longest = std::chrono::seconds(5)};
};

/// Sends the probes of a pass by a schedule. Thread-safe.
class ProbeRunner final : public Probes {
 public:
  using Send = std::function<Result<void>(const Probe& probe, const Limits& limits)>;

  /// Starts the thread. `on_change` is called on threads of this object, when an answer has changed. `clock`
  /// decides when probes are due; the limits of `send` are of the machine's clock.
  ProbeRunner(Send send, std::function<void()> on_change, Clock& clock = Clock::system(),
              const ProbeSchedule& schedule = {});
  /// Cancels running probes.
  ~ProbeRunner() override;
  ProbeRunner(const ProbeRunner&) = delete;
  ProbeRunner& operator=(const ProbeRunner&) = delete;

  void want(const std::set<Probe>& probes) override;
  std::optional<Result<void>> answer(const Probe& probe) const override;

 private:
  struct State {
    SteadyTime due;
    int failures = 0;
    std::optional<Result<void>> answer = {};
  };

  void run(const std::stop_token& stop);
  /// Returns the probes that are due, and sets `next` to the time at which the next one is.
  std::vector<Probe> due_now(SteadyTime now, SteadyTime& next) const;
  /// Records a result. Returns whether the answer has changed.
  bool record(const Probe& probe, const Result<void>& result);

  const Send send_;
  const std::function<void()> on_change_;
  Clock& clock_;
  const ProbeSchedule schedule_;
  mutable std::mutex mutex_;
  TimedCondition changed_;
  bool is_changed_ = false;
  std::map<Probe, State> states_;
  std::jthread thread_;  ///< declared last: it uses the others
};

}  // namespace fairway::gateway
