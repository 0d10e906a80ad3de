// SPDX-License-Identifier: Apache-2.0

// Doubles as Go reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairway::cel {

/// Parses a number like strconv.ParseFloat: also "inf", "+Infinity", "nan" in any case and hexadecimal;
/// std::nullopt for other text, and out of range.
std::optional<double> parse_go_float(std::string_view text);

}  // namespace fairway::cel
