// SPDX-License-Identifier: Apache-2.0

// Backoff: the pause before the next try.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"
#include "base/random.h"

namespace fairway {

/// Pauses that grow with each failure in a row.
struct BackoffSchedule {
  std::chrono::nanoseconds first = std::chrono::milliseconds(800);
  /// Longest pause, without jitter.
  std::chrono::nanoseconds longest = std::chrono::hours(24);
  double factor = 2;
  /// Jitter: up to this fraction of the pause is added at random.
  double jitter = 0;
  /// Time without a failure after which the backoff is reset. Used by `Backoff` only.
  std::chrono::nanoseconds reset_after = std::chrono::nanoseconds::max();

  /// The pause after the `failures`-th failure in a row (from 1); `random` is from [0, 1).
  std::chrono::nanoseconds pause(int failures, double random = 0) const;
};

/// Counts failures, and returns the pause after each. Not for several threads at once.
class Backoff {
 public:
  /// Makes a backoff; without `random` it has no jitter.
  Backoff(const BackoffSchedule& schedule, Clock& clock, Random random = {})
      : schedule_(schedule), clock_(clock), random_(std::move(random)) {}

  /// Records a failure; returns how long to wait.
  std::chrono::nanoseconds next();
  /// Records a success: resets the backoff.
  void reset() { failures_ = 0; }

 private:
  const BackoffSchedule schedule_;
  Clock& clock_;
  Random random_;
  int failures_ = 0;
  SteadyTime last_;  ///< time of the last failure
};

}  // namespace fairway
