// How many objects are written in a second.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <stop_token>

#include "base/clock.h"

namespace fairway::conversion {

/// Writes at an even distance, by all threads together.
class WriteRate {
 public:
  /// `per_second`: 0 is no limit.
  WriteRate(Clock& clock, double per_second) : clock_(clock), next_(clock.steady()) {
    if (per_second > 0) {
      distance_ =
          std::chrono::duration_cast<SteadyTime::duration>(std::chrono::duration<double>(1 / per_second));
    }
  }
  /// Waits until the caller may write; false when stopped.
  bool wait(const std::stop_token& stop) {
    if (distance_ == SteadyTime::duration::zero()) return !stop.stop_requested();
    SteadyTime turn;
    {
      const std::lock_guard lock(mutex_);
      turn = std::max(next_, clock_.steady());
      next_ = turn + distance_;
    }
    return clock_.wait_until(turn, stop);
  }

 private:
  Clock& clock_;
  std::mutex mutex_;
  SteadyTime next_;
  SteadyTime::duration distance_{};
};

}  // namespace fairway::conversion
