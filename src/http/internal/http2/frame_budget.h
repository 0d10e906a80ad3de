// SPDX-License-Identifier: Apache-2.0

// A limit on the frames of a connection that bring no request on: pings, settings, resets and their like.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace fairway::http {

/// A bucket of tokens. Frames that cost the receiver work and nothing else take some; time and the work that
/// the receiver does for the client give some back, because an honest client answers that with window updates
/// and pings.
class FrameBudget {
 public:
  explicit FrameBudget(SteadyTime now) : filled_(now) {}

  /// Takes tokens. False: none are left, and the client floods.
  bool take(double tokens, SteadyTime now) {
    tokens_ += std::chrono::duration<double>(now - filled_).count() * per_second;
    filled_ = now;
    tokens_ = std::min(tokens_, most) - tokens;
    return tokens_ >= 0;
  }
  /// Gives tokens for work that was done for the client.
  void give(double tokens) { tokens_ = std::min(tokens_ + tokens, most); }

  static constexpr double most = 1000, per_second = 100;

 private:
  double tokens_ = most;
  SteadyTime filled_;
};

}  // namespace fairway::http
