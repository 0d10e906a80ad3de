// Numbers in label values and in the text format: Go's ParseFloat, which is not what queries are read with.
#pragma once

#include <optional>
#include <string_view>

namespace fairway::promql {

/// Decimal, or hexadecimal with its exponent (`0x1p-2`), underscores between digits, `inf`, `infinity` and
/// `nan` in any case. Nothing where Go has an error: another form, or too large a number. What is too small
/// is 0.
std::optional<double> parse_go_float(std::string_view text);

}  // namespace fairway::promql
