// SPDX-License-Identifier: Apache-2.0

#include "base/limits.h"

#include <algorithm>
#include <utility>

namespace fairway {

Limits Limits::within(const Clock& clock, std::chrono::nanoseconds timeout, std::stop_token stop) {
  const SteadyTime now = clock.steady();
  const bool endless = now.time_since_epoch().count() > 0 && timeout > SteadyTime::max() - now;
  return {endless ? SteadyTime::max() : now + std::chrono::duration_cast<SteadyTime::duration>(timeout),
          std::move(stop)};
}

std::chrono::nanoseconds Limits::remaining(const Clock& clock) const {
  if (!has_deadline()) return std::chrono::nanoseconds::max();
  return std::max<std::chrono::nanoseconds>(deadline - clock.steady(), std::chrono::nanoseconds(0));
}

Limits Limits::at_most(const Clock& clock, std::chrono::nanoseconds timeout) const {
  return {std::min(deadline, within(clock, timeout).deadline), stop};
}

Limits Limits::moved(const Clock& from, const Clock& to) const {
  if (&from == &to || !has_deadline()) return *this;
  return within(to, deadline - from.steady(), stop);
}

}  // namespace fairway
