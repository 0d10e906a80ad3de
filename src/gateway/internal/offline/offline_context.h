// SPDX-License-Identifier: Apache-2.0

// The context of a pass without a cluster, from flags.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "gateway/check.h"
#include "gateway/internal/model/pass_context.h"

namespace fairway::gateway {

/// Reads the settings of `check` and `explain`. Errors name the flag that cannot be read.
Result<PassContext> offline_context(const OfflineSettings& settings, WallTime now);

}  // namespace fairway::gateway
