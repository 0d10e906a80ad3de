// SPDX-License-Identifier: Apache-2.0

// The report of `fairway convert check`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conversion/check/conversion_check.h"

namespace fairway::cli {

/// Returns the report as text for people: what was checked, each cause with examples, and the notes.
std::string text_report(const conversion::ConversionCheck& check, const std::vector<std::string>& notes,
                        std::string_view ended);
/// Returns the report as a line of JSON.
std::string json_report(const conversion::ConversionCheck& check, const std::vector<std::string>& notes,
                        std::string_view ended);

}  // namespace fairway::cli
