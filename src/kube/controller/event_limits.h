// SPDX-License-Identifier: Apache-2.0

// Limits on the number of Events.
#pragma once

#include <chrono>
#include <cstddef>

namespace fairway::kube {

/// Limits on events, with client-go's numbers.
struct EventLimits {
  /// Token bucket of one source about one object: `burst` events at once, and then one in `refill`.
  double burst = 25;
  std::chrono::nanoseconds refill = std::chrono::minutes(5);
  /// Events that differ in their message only are written as one once there are this many of them within
  /// `similar_within`.
  std::size_t similar = 10;
  std::chrono::nanoseconds similar_within = std::chrono::minutes(10);
  /// The size of each cache.
  std::size_t remembered = 4096;
};

}  // namespace fairway::kube
