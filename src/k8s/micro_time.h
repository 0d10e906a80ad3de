// Times with microseconds, as Leases and Events keep them.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::k8s {

/// "2026-02-19T23:09:12.000123Z": always six digits, as the API's MicroTime has them.
std::string format_micro_time(WallTime time);
/// Reads RFC 3339 with any fraction; what is below a microsecond is dropped.
Result<WallTime> parse_micro_time(std::string_view text);

}  // namespace fairway::k8s
