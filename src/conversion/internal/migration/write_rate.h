// SPDX-License-Identifier: Apache-2.0

// A limit on the objects that are written per second.
#pragma once

#include <algorithm>
#include <chrono>
#include <list>
#include <mutex>
#include <stop_token>

#include "base/timed_condition.h"

namespace fairway::conversion {

/// A limit on the rate of writes, at even intervals, for all threads together, first come, first served. A
/// stopped thread leaves its turn to the next one.
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
    std::unique_lock lock(mutex_);
    const SteadyTime came = clock_.steady();
    const auto place = queue_.emplace(queue_.end());
    bool reached = moved_up_.wait(lock, clock_, {.stop = stop}, [&] { return place == queue_.begin(); });
    if (reached) {
      // Only the first of the queue changes it.
      const SteadyTime turn = std::max(next_, came);
      lock.unlock();
      reached = clock_.wait_until(turn, stop);
      lock.lock();
      if (reached) next_ = turn + distance_;
    }
    queue_.erase(place);
    moved_up_.notify_all();
    return reached;
  }

 private:
  struct Place {};

  Clock& clock_;
  std::mutex mutex_;
  TimedCondition moved_up_;
  std::list<Place> queue_;  ///< waiting threads; the first one for `next_`
  SteadyTime next_;
  SteadyTime::duration distance_{};
};

}  // namespace fairway::conversion
