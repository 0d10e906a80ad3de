// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/internal/json_number.h"
#include "base/internal/shortest_digits.h"
#include "base/text.h"

namespace fairway::json {

namespace {

std::unexpected<std::string> refused(std::string_view text, const std::string& why) {
  return std::unexpected("the number " + printable(text, 60) + " is beyond " + why);
}

/// Returns whether a number that is no double is too large, not too small: its first digit that is not 0
/// stands before the point.
bool is_large(std::string_view text) {
  std::size_t end = text.find_first_of("eE");
  long long exponent = 0;
  if (end == std::string_view::npos) {
    end = text.size();
  } else {
    const std::string_view digits = text.substr(end + (text.substr(end + 1).starts_with('+') ? 2 : 1));
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (read.ec == std::errc::result_out_of_range) return !digits.starts_with('-');
  }
  const std::string_view mantissa = text.substr(0, end);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto point = static_cast<long long>(std::min(mantissa.find('.'), mantissa.size()));
  return point - static_cast<long long>(first) + exponent > 0;
}

/// The text of a double that is an integer, as Go and JavaScript write it.
bool is_text_of(double number, std::string_view text) {
  std::string own;
  append_number(own, number);
  return own == std::string(text) + ".0";
}

template <class Integer>
void append_integer(std::string& out, Integer number) {
  std::array<char, 24> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

}  // namespace

std::expected<double, std::string> read_double(std::string_view text, std::string_view if_rounded) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc::result_out_of_range || std::isinf(number)) {
    if (is_large(text)) {
      if (text.find_first_of(".eE") == std::string_view::npos) return refused(text, "64 bits");
      return refused(text, "the largest that a double can be (about 1.8e308)");
    }
    number = text.starts_with('-') ? -0.0 : 0.0;
  }
  // From here on integers could be rounded.
  if (std::abs(number) >= 0x1p63 && text.find_first_of(".eE") == std::string_view::npos &&
      !is_text_of(number, text)) {
    return refused(text, "64 bits, and would be rounded" + std::string(if_rounded));
  }
  return number;
}

void append_number(std::string& out, std::int64_t number) {
  append_integer(out, number);
}

void append_number(std::string& out, std::uint64_t number) {
  append_integer(out, number);
}

void append_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  const fairway::internal::ShortestDigits digits(number);
  // Go and JavaScript leave the point where it is for numbers from 1e-6 to below 1e21.
  if (digits.exponent() < -6 || digits.exponent() >= 21) {
    digits.append_scientific(out, 1);
    return;
  }
  digits.append_plain(out);
  if (digits.is_integer()) out += ".0";
}

}  // namespace fairway::json
