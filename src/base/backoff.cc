// SPDX-License-Identifier: Apache-2.0

#include "base/backoff.h"

#include <algorithm>
#include <cmath>

namespace fairway {

std::chrono::nanoseconds BackoffSchedule::pause(int failures, double random) const {
  using Pause = std::chrono::duration<double, std::nano>;
  const double growth = std::pow(factor, std::max(failures - 1, 0));
  // Infinite growth of a pause of 0 would be no number.
  const Pause grown = first.count() == 0 ? Pause(0) : std::min(Pause(first) * growth, Pause(longest));
  return std::chrono::duration_cast<std::chrono::nanoseconds>(grown * (1 + random * jitter));
}

std::chrono::nanoseconds Backoff::next() {
  const SteadyTime now = clock_.steady();
  if (failures_ > 0 && now - last_ > schedule_.reset_after) failures_ = 0;
  last_ = now;
  // Beyond this many the pause grows no more, and the count must not overflow.
  failures_ = std::min(failures_ + 1, 10'000);
  return schedule_.pause(failures_, random_ ? random_() : 0);
}

}  // namespace fairway
