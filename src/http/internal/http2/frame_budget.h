// SPDX-License-Identifier: Apache-2.0

// A limit on the frames of a connection that bring no request on: pings, settings, resets and their like.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/clock.h"

namespace fairway::http {

/// A bucket of tokens. Frames that cost the receiver work and nothing else take some; time and the work that
/// the receiver does for the client give some back, because an honest client answers that with pings. Its
/// window updates answer data, of which much may be on its way at once: they are counted by themselves.
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
  /// Takes a token for a window update: one that data has earned, if there is one.
  bool take_for_update(SteadyTime now) {
    if (updates_ < 1) return take(1, now);
    --updates_;
    return true;
  }
  /// Allows as many window updates as clients send for so many bytes of data: for each frame two, and two for
  /// each 4 KiB, as Go's do.
  void give_for_data(std::size_t bytes) {
    updates_ = std::min(updates_ + 2 + static_cast<double>(bytes) / 2048, most_updates);
  }
  /// Gives tokens for work that was done for the client.
  void give(double tokens) { tokens_ = std::min(tokens_ + tokens, most); }

  static constexpr double most = 1000, per_second = 100;
  /// Number of updates for 200 MB of data that are on their way.
  static constexpr double most_updates = 100'000;

 private:
  double tokens_ = most, updates_ = 0;
  SteadyTime filled_;
};

}  // namespace fairway::http
