// SPDX-License-Identifier: Apache-2.0

// Durations as people read them.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"

namespace fairway::adm {

/// Returns a duration in whole seconds, without trailing units that are zero: "1h2m", "3s"; "now" below one
/// second.
std::string short_duration(std::chrono::nanoseconds duration);

/// Returns the time from `from` to `to`, at most a century: far times, such as an unset one, must not
/// overflow.
std::chrono::nanoseconds elapsed(WallTime from, WallTime to);

/// Rounds a duration to a multiple of `unit`, halves away from zero.
std::chrono::nanoseconds round_to(std::chrono::nanoseconds duration, std::chrono::nanoseconds unit);

}  // namespace fairway::adm
