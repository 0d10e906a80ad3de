// SPDX-License-Identifier: Apache-2.0

// Parses the time of HTTP's Date header; `format_http_date` (clock.h) writes it.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace fairway {

/// "Sun, 06 Nov 1994 08:49:37 GMT", the only accepted form.
Result<WallTime> parse_http_date(std::string_view text);

}  // namespace fairway
