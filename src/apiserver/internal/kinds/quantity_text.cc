// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/quantity_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace fairway::apiserver::kinds {

namespace {

__extension__ using Wide = __int128;

enum class Format { decimal, binary, exponent };

struct Suffix {
  Format format = Format::decimal;
  /// Exponent of 10, or of 2.
  std::int32_t exponent = 0;
};

constexpr std::array decimal_suffixes{
    std::pair{"n", -9}, std::pair{"u", -6}, std::pair{"m", -3}, std::pair{"", 0},   std::pair{"k", 3},
    std::pair{"M", 6},  std::pair{"G", 9},  std::pair{"T", 12}, std::pair{"P", 15}, std::pair{"E", 18}};
constexpr std::array binary_suffixes{std::pair{"Ki", 10}, std::pair{"Mi", 20}, std::pair{"Gi", 30},
                                     std::pair{"Ti", 40}, std::pair{"Pi", 50}, std::pair{"Ei", 60}};

std::optional<Suffix> read_suffix(std::string_view text) {
  for (const auto& [name, exponent] : decimal_suffixes) {
    if (text == name) return Suffix{Format::decimal, exponent};
  }
  for (const auto& [name, exponent] : binary_suffixes) {
    if (text == name) return Suffix{Format::binary, exponent};
  }
  const auto exponent = exponent_of_suffix(text);
  return exponent ? std::optional(Suffix{Format::exponent, *exponent}) : std::nullopt;
}

std::string digits_of(Wide value) {
  std::string text;
  do {
    text.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  std::ranges::reverse(text);
  return text;
}

/// Returns `value` * 10^`scale` with the largest suffix that leaves a whole number.
std::optional<std::string> decimal_text(Wide value, std::int64_t scale, Format format) {
  while (value % 10 == 0) {
    value /= 10;
    ++scale;
  }
  // Suffixes stand for powers of a thousand.
  for (std::int64_t rest = ((scale % 3) + 3) % 3; rest > 0; --rest) {
    value *= 10;
    --scale;
  }
  if (format == Format::exponent) return digits_of(value) + (scale == 0 ? "" : "e" + std::to_string(scale));
  for (const auto& [name, exponent] : decimal_suffixes) {
    if (exponent == scale) return digits_of(value) + name;
  }
  // Larger than any suffix: as Go does, without one.
  if (scale > 18) return digits_of(value);
  return std::nullopt;
}

}  // namespace

std::optional<std::int32_t> exponent_of_suffix(std::string_view suffix) {
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  if (error != std::errc{} || end != suffix.data() + suffix.size()) return std::nullopt;
  return static_cast<std::int32_t>(exponent);
}

Result<std::string> canonical_quantity(std::string_view text) {
  constexpr const char* wrong_format =
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  constexpr std::string_view digit = "0123456789";
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const auto take = [&](std::string_view of) {
    const std::string_view head = rest.substr(0, std::min(rest.find_first_not_of(of), rest.size()));
    rest.remove_prefix(head.size());
    return head;
  };
  take("0");
  const std::string_view whole = take(digit);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take(digit);
  }
  const std::string_view end = rest;
  take("eEinumkKMGTP");
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  take(digit);
  if (text.empty() || !rest.empty()) return fail(ErrorCode::invalid, wrong_format);
  const auto suffix = read_suffix(end);
  if (!suffix) return fail(ErrorCode::invalid, "unable to parse quantity's suffix");
  // Without a digit it is 0, as in Go.
  std::string shifted = std::string(whole) + std::string(fraction);
  if (shifted.size() > 18) return std::string(text);
  Wide value = 0;
  for (const char c : shifted) value = value * 10 + (c - '0');
  if (value == 0) return "0";
  std::int64_t scale = -static_cast<std::int64_t>(fraction.size());
  Format format = suffix->format;
  if (format == Format::binary) {
    // Go keeps what it takes for canonical already.
    const int precision = 15 - static_cast<int>(whole.size()) - suffix->exponent * 3 / 10 - 1;
    if (precision >= 0 && fraction.empty() && (value & 7) != 0) return std::string(text);
    value <<= suffix->exponent;
    // A cap, as in Go.
    Wide one = 1;
    for (std::int64_t i = scale; i < 0; ++i) one *= 10;
    const Wide most = static_cast<Wide>(INT64_MAX) * one;
    value = std::min(value, most);
    if (value < 1024 * one || value % one != 0) {
      format = Format::decimal;
    } else {
      value /= one;
      scale = 0;
    }
  } else {
    scale += suffix->exponent;
    const int precision = 18 - static_cast<int>(shifted.size());
    const bool canonical = scale % 3 == 0 && !shifted.ends_with("000") && shifted.front() != '0';
    if (precision >= 0 && scale >= -9 && canonical) return std::string(text);
  }
  // Nothing smaller than a billionth: rounded up. One of whatever is smaller stays one.
  for (; scale < -9 && value > 1; ++scale) value = (value + 9) / 10;
  scale = std::max<std::int64_t>(scale, -9);
  const std::string sign = negative ? "-" : "";
  if (format != Format::binary) {
    const auto written = decimal_text(value, scale, format);
    return written ? sign + *written : std::string(text);
  }
  std::size_t unit = 0;
  for (; value % 1024 == 0 && unit < binary_suffixes.size(); ++unit) value /= 1024;
  return sign + digits_of(value) + (unit == 0 ? "" : binary_suffixes[unit - 1].first);
}

}  // namespace fairway::apiserver::kinds
