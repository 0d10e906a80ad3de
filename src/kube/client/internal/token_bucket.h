// A rate limit.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace fairway::kube {

/// A token bucket: a rate per second and a burst; full at the beginning. Not thread-safe.
class TokenBucket {
 public:
  /// `per_second` is above 0.
  TokenBucket(double per_second, double burst, SteadyTime now)
      : per_second_(per_second), burst_(burst), tokens_(burst), filled_(now) {}

  /// Takes a token, a future one if the bucket is empty; returns how long to wait for it.
  std::chrono::nanoseconds reserve(SteadyTime now) {
    fill(now);
    tokens_ -= 1;
    if (tokens_ >= 0) return std::chrono::nanoseconds(0);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(-tokens_ / per_second_));
  }
  /// Takes a token where there is one.
  bool admit(SteadyTime now) {
    fill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  /// Undoes a `reserve` that nobody waited for. Others that wait go on to wait as long as they were told.
  void give_back() { tokens_ = std::min(burst_, tokens_ + 1); }

 private:
  void fill(SteadyTime now) {
    if (now <= filled_) return;
    tokens_ = std::min(burst_, tokens_ + std::chrono::duration<double>(now - filled_).count() * per_second_);
    filled_ = now;
  }

  double per_second_, burst_, tokens_;
  SteadyTime filled_;
};

}  // namespace fairway::kube
