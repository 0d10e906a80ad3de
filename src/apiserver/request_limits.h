// SPDX-License-Identifier: Apache-2.0

// Limits on the requests that a server answers at once, and on those that wait for their turn.
#pragma once

#include <chrono>
#include <cstddef>

namespace fairway::apiserver {

struct RequestLimits {
  /// Number of requests that are answered at once, apart from those that wait for a kubelet or a webhook. A
  /// watch counts until it has begun.
  int in_flight = 32;
  /// Number of requests that wait for their turn, in all and of one user. Further ones are refused (429).
  std::size_t queued = 1024, queued_per_user = 256;
  /// Time that a request waits at most; after it the request is refused (429).
  std::chrono::milliseconds queue_timeout{15'000};
};

}  // namespace fairway::apiserver
