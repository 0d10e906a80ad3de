// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/openapi/yaml_plain_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace fairway::apiserver::openapi {
namespace {

constexpr std::array<std::string_view, 23> words{
    "true", "True", "TRUE", "false", "False", "FALSE", "",      "~",     "null",  "Null",  "NULL", ".nan",
    ".NaN", ".NAN", ".inf", ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_alphanumeric(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return is_digit(c) || (lower >= 'a' && lower <= 'z');
}

/// Takes a number of one or two digits off the front of a text; no value if it has none or one beyond `most`.
std::optional<unsigned> take_number(std::string_view& text, unsigned most) {
  if (text.empty() || !is_digit(text[0])) return std::nullopt;
  unsigned number = static_cast<unsigned>(text[0] - '0');
  text.remove_prefix(1);
  if (!text.empty() && is_digit(text[0])) {
    number = 10 * number + static_cast<unsigned>(text[0] - '0');
    text.remove_prefix(1);
  }
  if (number > most) return std::nullopt;
  return number;
}

bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

bool is_zone(std::string_view text) {
  if (text == "Z") return true;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  std::string_view hours = text.substr(1, 2), minutes = text.substr(4);
  return take_number(hours, 24) && hours.empty() && take_number(minutes, 59) && minutes.empty();
}

/// Returns whether a text is the rest of a time after its date: "T15:04:05Z", " 15:04:05.5".
bool is_time_of_day(std::string_view text) {
  const bool has_zone = text[0] != ' ';
  if (!take(text, "T") && !take(text, "t") && !take(text, " ")) return false;
  if (!take_number(text, 23) || !take(text, ":") || !take_number(text, 59) || !take(text, ":")) return false;
  if (!take_number(text, 59)) return false;
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  }
  return has_zone ? is_zone(text) : text.empty();
}

bool is_time(std::string_view text) {
  if (text.size() < 8 || !std::all_of(text.begin(), text.begin() + 4, is_digit) || text[4] != '-')
    return false;
  int year = 0;
  const std::string_view digits = text.substr(0, 4);
  std::from_chars(digits.data(), digits.data() + digits.size(), year);
  text.remove_prefix(5);
  const auto month = take_number(text, 12);
  if (!month || !take(text, "-")) return false;
  const auto day = take_number(text, 31);
  if (!day) return false;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  return date.ok() && (text.empty() || is_time_of_day(text));
}

template <class Integer>
bool is_within(std::string_view digits, int base) {
  Integer number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return error == std::errc{} && end == digits.data() + digits.size();
}

/// Returns whether a text is an integer of 64 bits with the prefix of a base: "0x1F", "-0b1", "017".
bool is_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  std::string_view digits = text.substr(has_sign ? 1 : 0);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char mark = static_cast<char>(digits[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    digits.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  // A sign may also stand behind "0b" and "0o".
  const bool has_inner_sign = digits.size() > 1 && (digits[0] == '-' || digits[0] == '+');
  if (has_inner_sign) {
    if (!is_digit(digits[1]) || (!text.starts_with("0b") && !text.starts_with("0o"))) return false;
    return is_within<std::int64_t>(digits.substr(digits[0] == '+' ? 1 : 0), base);
  }
  if (digits.empty() || !is_alphanumeric(digits[0])) return false;
  if (!has_sign) return is_within<std::uint64_t>(digits, base);
  return is_within<std::int64_t>((negative ? "-" : "") + std::string(digits), base);
}

std::size_t take_digits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count;
}

bool is_float(std::string_view text) {
  const std::string_view number = text.substr(text.starts_with('+') ? 1 : 0);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::size_t digits = take_digits(text);
  if (take(text, ".")) digits += take_digits(text);
  if (digits == 0) return false;
  if (take(text, "e") || take(text, "E")) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (take_digits(text) == 0) return false;
  }
  // One beyond the largest double is a text.
  double value = 0;
  return text.empty() &&
         std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{};
}

/// Returns whether each underscore stands between two digits.
bool are_underscores_within(std::string_view text) {
  for (std::size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    if (at == 0 || at + 1 == text.size() || !is_digit(text[at - 1]) || !is_digit(text[at + 1])) return false;
  }
  return true;
}

}  // namespace

bool is_plain_text(std::string_view text) {
  if (std::ranges::find(words, text) != words.end()) return false;
  if (text[0] != '.' && text[0] != '-' && text[0] != '+' && !is_digit(text[0])) return true;
  std::string plain(text);
  std::erase(plain, '_');
  // Underscores anywhere are left out of numbers, except of those that begin with their point.
  if (text[0] == '.') return !are_underscores_within(text) || !is_float(plain);
  return !is_time(text) && !is_integer(plain) && !is_float(plain);
}

}  // namespace fairway::apiserver::openapi
