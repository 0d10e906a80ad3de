// What a pass without a cluster knows from outside.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "gateway/check.h"
#include "gateway/internal/model/surroundings.h"

namespace fairway::gateway {

/// Reads the settings of `check` and `explain`. Errors name the flag that cannot be read.
Result<Surroundings> offline_surroundings(const OfflineSettings& settings, WallTime now);

}  // namespace fairway::gateway
