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
  /// How long one may take.
  std::chrono::nanoseconds limit = std::chrono::seconds(1);
  /// How many are under way at once.
  int threads = 4;
  /// When an answer is asked for again: that traffic flows is said of now.
  std::chrono::nanoseconds again = std::chrono::seconds(10);
  /// Failures in a row after which it is known that traffic does not flow. One alone is a listener that has
  /// not begun yet.
  int failures = 3;
  BackoffSchedule backoff = {.first = std::chrono::milliseconds(10), .longest = std::chrono::seconds(5)};
};

/// Safe from all threads.
class ProbeRunner final : public Probes {
 public:
  using Send = std::function<Result<void>(const Probe& probe, const Limits& limits)>;

  /// `on_change` is called, on a thread of this object, when an answer is another one than before. The clock
  /// is that of the pauses; `send` has limits of the machine's.
  ProbeRunner(Send send, std::function<void()> on_change, Clock& clock = Clock::system(),
              const ProbeSchedule& schedule = {});
  /// Ends probes that are under way.
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
  /// Those that are due, and when the next one is.
  std::vector<Probe> due_now(SteadyTime now, SteadyTime& next) const;
  /// Returns whether the answer is another one.
  bool note(const Probe& probe, const Result<void>& result);

  const Send send_;
  const std::function<void()> on_change_;
  Clock& clock_;
  const ProbeSchedule schedule_;
  mutable std::mutex mutex_;
  TimedCondition changed_;
  bool is_changed_ = false;
  std::map<Probe, State> states_;
  std::jthread thread_;  ///< the last: it uses the others
};

}  // namespace fairway::gateway
