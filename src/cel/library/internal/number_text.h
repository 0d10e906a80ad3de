// Doubles as Go reads and writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairway::cel {

/// strconv.ParseFloat: also "inf", "+Infinity", "nan" in any case and hexadecimal; std::nullopt for other
/// text, and out of range.
std::optional<double> parse_go_float(std::string_view text);
/// strconv.FormatFloat(value, 'g', -1): the shortest digits that read back, with an exponent below 1e-4 and
/// from 1e21 on: "1e+21", "NaN", "+Inf".
std::string go_float_text(double value);

}  // namespace fairway::cel
