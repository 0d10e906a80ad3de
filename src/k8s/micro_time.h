// SPDX-License-Identifier: Apache-2.0

// Times with microseconds, as in Leases and Events.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::k8s {

/// Returns "2026-02-19T23:09:12.000123Z": always six digits, as in the API's MicroTime.
std::string format_micro_time(WallTime time);
/// Reads RFC 3339 with any fraction; digits below a microsecond are dropped.
Result<WallTime> parse_micro_time(std::string_view text);

}  // namespace fairway::k8s
