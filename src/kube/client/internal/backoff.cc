#include "kube/client/internal/backoff.h"

#include <algorithm>
#include <memory>
#include <random>

namespace fairway::kube {

Random system_random() {
  return [engine = std::make_shared<std::mt19937_64>(std::random_device{}())] {
    return std::uniform_real_distribution<double>(0, 1)(*engine);
  };
}

std::chrono::nanoseconds Backoff::next() {
  const SteadyTime now = clock_.steady();
  const bool afresh = !last_ || now - *last_ > schedule_.reset_after;
  last_ = now;
  using Pause = decltype(pause_);
  pause_ = afresh ? Pause(schedule_.first) : std::min(pause_ * schedule_.factor, Pause(schedule_.most));
  return std::chrono::duration_cast<std::chrono::nanoseconds>(pause_ * (1 + random_() * schedule_.jitter));
}

}  // namespace fairway::kube
