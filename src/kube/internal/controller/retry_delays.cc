// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/controller/retry_delays.h"

#include <algorithm>

#include "base/backoff.h"

namespace fairway::kube {

std::chrono::nanoseconds RetryDelays::next(const k8s::Key& key, SteadyTime now) {
  const BackoffSchedule own{.first = limits_.first, .longest = limits_.longest};
  return std::max(own.pause(++failures_[key]), bucket_.reserve(now));
}

int RetryDelays::failures(const k8s::Key& key) const {
  const auto found = failures_.find(key);
  return found != failures_.end() ? found->second : 0;
}

}  // namespace fairway::kube
