// SPDX-License-Identifier: Apache-2.0

// The time of the next request to a service.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "base/random.h"

namespace fairway::operators {

/// Returns the time of the next poll: after one to two intervals, at random, so that clusters that start at
/// once do not poll at once. Counted from the start of the last request: the response is as old as that.
inline SteadyTime next_poll(SteadyTime began, std::chrono::nanoseconds interval, const Random& random) {
  const auto spread =
      std::chrono::duration<double, std::nano>(static_cast<double>(interval.count()) * random());
  return began + interval + std::chrono::duration_cast<std::chrono::nanoseconds>(spread);
}

}  // namespace fairway::operators
