// SPDX-License-Identifier: Apache-2.0

// The date of manual pages.
#pragma once

#include <string>

#include "base/result.h"

namespace fairway::cli {

/// Returns the day of a time in seconds since 1970, as SOURCE_DATE_EPOCH has it: "2026-11-29"; "" for
/// nullptr or an empty text. An Error: it is no number of seconds up to the year 9999.
Result<std::string> page_date(const char* source_date_epoch);

}  // namespace fairway::cli
