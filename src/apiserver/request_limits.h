// How many requests a server answers at once, and how many wait for their turn.
#pragma once

#include <chrono>
#include <cstddef>

namespace fairway::apiserver {

struct RequestLimits {
  /// Requests that are answered at once, those apart that wait for a kubelet or a webhook. A watch counts
  /// until it has begun.
  int in_flight = 32;
  /// Requests that wait for that, and those of one user: beyond it they are refused (429).
  std::size_t queued = 1024, queued_per_user = 256;
  /// How long one may wait; then it is refused, too.
  std::chrono::milliseconds queue_timeout{15'000};
};

}  // namespace fairway::apiserver
