// Durations as people read them.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"

namespace fairway::adm {

/// In whole seconds without units that are zero at the end: "1h2m", "3s"; "now" below one second.
std::string short_duration(std::chrono::nanoseconds duration);

/// From one time to another, at most a century: far times, such as one that is not set, must not overflow.
std::chrono::nanoseconds elapsed(WallTime from, WallTime to);

/// Rounded to a multiple of `unit`, halves away from zero.
std::chrono::nanoseconds round_to(std::chrono::nanoseconds duration, std::chrono::nanoseconds unit);

}  // namespace fairway::adm
