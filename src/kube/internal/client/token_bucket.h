// SPDX-License-Identifier: Apache-2.0

// A rate limit.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace fairway::kube {

/// A token bucket: a rate per second and a burst; full at the beginning. Not thread-safe.
class TokenBucket {
 public:
  /// Creates a full bucket. `per_second` must be above 0.
  TokenBucket(double per_second, double burst, SteadyTime now)
      : per_second_(per_second), burst_(burst), tokens_(burst), filled_(now), last_(now) {}

  /// Takes a token, a future one if the bucket is empty; returns the time to wait for it.
  std::chrono::nanoseconds reserve(SteadyTime now) {
    fill(now);
    tokens_ -= 1;
    const std::chrono::nanoseconds wait = time_of(std::max(-tokens_, 0.0));
    last_ = std::max(last_, now + wait);
    return wait;
  }
  /// Takes a token if there is one; returns whether there was.
  bool admit(SteadyTime now) {
    fill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  /// Undoes a `reserve` whose token comes at `turn`, and that nobody waits for any more. As in Go's rate
  /// limiter, tokens that were reserved later are not returned: their waits do not become shorter, so that no
  /// two requests go together.
  void give_back(SteadyTime turn, SteadyTime now) {
    const double later = std::chrono::duration<double>(last_ - turn).count() * per_second_;
    if (turn < now || later >= 1) return;
    fill(now);
    tokens_ = std::min(burst_, tokens_ + 1 - later);
    if (turn == last_) last_ = std::max(now, turn - time_of(1));
  }

 private:
  std::chrono::nanoseconds time_of(double tokens) const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(tokens / per_second_));
  }
  void fill(SteadyTime now) {
    if (now <= filled_) return;
    tokens_ = std::min(burst_, tokens_ + std::chrono::duration<double>(now - filled_).count() * per_second_);
    filled_ = now;
  }

  double per_second_, burst_, tokens_;
  SteadyTime filled_;
  SteadyTime last_;  ///< time of the last reserved token
};

}  // namespace fairway::kube
