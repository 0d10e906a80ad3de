// SPDX-License-Identifier: Apache-2.0

// Durations as Go reads them: "1h30m".
#pragma once

#include <string_view>

#include "base/result.h"

namespace fairway::apiserver::validation {

/// Checks a duration. Errors have the words of Go's time.ParseDuration.
Result<void> check_go_duration(std::string_view text);

}  // namespace fairway::apiserver::validation
