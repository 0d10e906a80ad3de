// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/library/number_text.h"

#include <charconv>
#include <cmath>

#include "base/text.h"

namespace fairway::cel {

std::optional<double> parse_go_float(std::string_view text) {
  std::string_view digits = text;
  bool negative = false;
  if (digits.starts_with('+') || digits.starts_with('-')) {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  const std::string lower = to_lower(digits);
  if (lower == "inf" || lower == "infinity") return negative ? -INFINITY : INFINITY;
  if (lower == "nan") return NAN;
  if (digits.empty() || !((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.')) return std::nullopt;
  double value = 0;
  const auto [end, status] = std::from_chars(lower.data(), lower.data() + lower.size(), value);
  if (end != lower.data() + lower.size()) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    // Too small is zero, too large is an error.
    const std::size_t exponent = lower.find("e-");
    if (exponent == std::string::npos) return std::nullopt;
    value = 0;
  } else if (status != std::errc{}) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

}  // namespace fairway::cel
