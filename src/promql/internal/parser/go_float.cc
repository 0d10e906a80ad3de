// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/parser/go_float.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/text.h"

namespace fairway::promql {

namespace {

/// Returns the number without its underscores; std::nullopt if one is not between digits or after `0x`.
std::optional<std::string> without_underscores(std::string_view text, bool hexadecimal) {
  const auto is_digit = [&](char c) {
    return (c >= '0' && c <= '9') || (hexadecimal && ((c >= 'a' && c <= 'f') || c == 'x'));
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1]) ||
               text[i + 1] == 'x') {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::optional<double> parse_go_float(std::string_view text) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const double sign = text.starts_with('-') ? -1 : 1;
  const std::string lower = to_lower(text.substr(has_sign ? 1 : 0));
  if (lower == "inf" || lower == "infinity") return sign * std::numeric_limits<double>::infinity();
  if (lower == "nan" && !has_sign) return std::numeric_limits<double>::quiet_NaN();
  const bool hexadecimal = lower.starts_with("0x");
  const auto plain = without_underscores(lower, hexadecimal);
  if (!plain) return std::nullopt;
  const std::string_view number = std::string_view(*plain).substr(hexadecimal ? 2 : 0);
  const char* allowed = hexadecimal ? "0123456789abcdef.p+-" : "0123456789.e+-";
  if (number.empty() || number.front() == '+' || number.front() == '-' ||
      number.find_first_not_of(allowed) != std::string_view::npos ||
      (hexadecimal && number.find('p') == std::string_view::npos))
    return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value,
                      hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (end != number.data() + number.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(plain->c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
  } else if (error != std::errc{}) {
    return std::nullopt;
  }
  return sign * value;
}

}  // namespace fairway::promql
