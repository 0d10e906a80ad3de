// SPDX-License-Identifier: Apache-2.0

// Numbers in label values and in the text format: Go's ParseFloat, which is not what queries are read with.
#pragma once

#include <optional>
#include <string_view>

namespace fairway::promql {

/// Parses a decimal number, or a hexadecimal one with its exponent (`0x1p-2`), underscores between digits,
/// `inf`, `infinity` and `nan` in any case. std::nullopt if Go reports an error: another form, or too large a
/// number. Too small a number is 0.
std::optional<double> parse_go_float(std::string_view text);

}  // namespace fairway::promql
