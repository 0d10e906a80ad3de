#include "kube/controller/internal/retry_delays.h"

#include <algorithm>

namespace fairway::kube {

std::chrono::nanoseconds RetryDelays::next(const k8s::Key& key, SteadyTime now) {
  // Doubled up to the limit and no further, so that nothing overflows however often an object fails.
  std::chrono::nanoseconds own = std::min(limits_.first, limits_.longest);
  int& failures = failures_[key];
  for (int i = 0; i < failures && own < limits_.longest; ++i) {
    own = own > limits_.longest / 2 ? limits_.longest : own * 2;
  }
  ++failures;
  return std::max(own, bucket_.reserve(now));
}

int RetryDelays::failures(const k8s::Key& key) const {
  const auto found = failures_.find(key);
  return found != failures_.end() ? found->second : 0;
}

}  // namespace fairway::kube
