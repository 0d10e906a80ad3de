// SPDX-License-Identifier: Apache-2.0

// Delays of retries.
#pragma once

#include <chrono>
#include <unordered_map>

#include "base/clock.h"
#include "kube/controller/retry_limits.h"
#include "kube/internal/client/token_bucket.h"
#include "kube/internal/informer/key_hash.h"

namespace fairway::kube {

/// Computes retry delays: the longer of an object's own backoff and the delay of the limit for all. Not
/// thread-safe.
class RetryDelays {
 public:
  RetryDelays(const RetryLimits& limits, SteadyTime now)
      : limits_(limits), bucket_(limits.per_second, limits.burst, now) {}

  /// Returns the delay of the next retry; counts as a failure of the object.
  std::chrono::nanoseconds next(const k8s::Key& key, SteadyTime now);
  /// Resets the failures of an object.
  void forget(const k8s::Key& key) { failures_.erase(key); }
  /// Returns the number of its failures since `forget`.
  int failures(const k8s::Key& key) const;

 private:
  const RetryLimits limits_;
  TokenBucket bucket_;
  std::unordered_map<k8s::Key, int, KeyHash> failures_;
};

}  // namespace fairway::kube
