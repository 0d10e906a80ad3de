// SPDX-License-Identifier: Apache-2.0

// The client's own limit on requests.
#pragma once

#include <mutex>
#include <string>

#include "base/limits.h"
#include "base/metrics.h"
#include "kube/client/client.h"
#include "kube/internal/client/token_bucket.h"

namespace fairway::kube {

/// A token bucket as in client-go: `burst` requests at once, refilled with `qps` tokens a second. Safe from
/// all threads.
class RateLimiter {
 public:
  /// Creates a full bucket. `registry` may be nullptr. `host` is a label of the metric.
  RateLimiter(const RateLimit& limit, Clock& clock, metrics::Registry* registry, std::string host);

  /// Waits for a token. Errors, without taking one: `deadline_exceeded`, at once, if it would come after the
  /// deadline; `cancelled`.
  Result<void> wait(const std::string& method, const Limits& limits);

 private:
  void observe(const std::string& method, std::chrono::nanoseconds waited) const;

  const RateLimit limit_;
  Clock& clock_;
  metrics::Registry* const registry_;
  const std::string host_;
  std::mutex mutex_;
  TokenBucket bucket_;
};

}  // namespace fairway::kube
