// When a service is asked again.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "base/random.h"

namespace fairway::operators {

/// After an interval and up to as long again, so that clusters that start at once do not ask at once. Counted
/// from when the last question began: what came is as old as it.
inline SteadyTime next_poll(SteadyTime began, std::chrono::nanoseconds interval, const Random& random) {
  const auto spread =
      std::chrono::duration<double, std::nano>(static_cast<double>(interval.count()) * random());
  return began + interval + std::chrono::duration_cast<std::chrono::nanoseconds>(spread);
}

}  // namespace fairway::operators
