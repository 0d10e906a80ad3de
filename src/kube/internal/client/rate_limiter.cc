// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/client/rate_limiter.h"

#include <utility>

namespace fairway::kube {

RateLimiter::RateLimiter(const RateLimit& limit, Clock& clock, metrics::Registry* registry, std::string host)
    : limit_(limit),
      clock_(clock),
      registry_(registry),
      host_(std::move(host)),
      bucket_(limit.qps, limit.burst, clock.steady()) {}

Result<void> RateLimiter::wait(const std::string& method, const Limits& limits) {
  const SteadyTime began = clock_.steady();
  std::chrono::nanoseconds pause{0};
  {
    const std::lock_guard lock(mutex_);
    pause = bucket_.reserve(began);
    if (pause.count() > 0 && pause >= limits.remaining(clock_)) {
      bucket_.give_back(began + pause, began);
      return fail(ErrorCode::deadline_exceeded, "the client's rate limit would delay the request for " +
                                                    format_duration(pause) + ", beyond its deadline");
    }
  }
  if (pause.count() > 0 && !clock_.wait_until(began + pause, limits.stop)) {
    const std::lock_guard lock(mutex_);
    bucket_.give_back(began + pause, clock_.steady());
    return fail(ErrorCode::cancelled, "stopped while the client's rate limit delayed the request");
  }
  observe(method, pause);
  return {};
}

void RateLimiter::observe(const std::string& method, std::chrono::nanoseconds waited) const {
  if (registry_ == nullptr) return;
  registry_
      ->histogram("rest_client_rate_limiter_duration_seconds",
                  "Client side rate limiter latency in seconds. Broken down by verb, and host.",
                  {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}, {{"verb", method}, {"host", host_}})
      .observe(std::chrono::duration<double>(waited).count());
}

}  // namespace fairway::kube
