// SPDX-License-Identifier: Apache-2.0

#include "schema/internal/formats.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace fairway::schema::internal {

namespace {

bool matches(std::string_view text, const re2::RE2& pattern) {
  return re2::RE2::FullMatch(re2::StringPiece(text), pattern);
}

bool is_date(std::string_view text) {
  static const re2::RE2 pattern(R"((\d{4})-(\d{2})-(\d{2}))");
  int year = 0, month = 0, day = 0;
  if (!re2::RE2::FullMatch(re2::StringPiece(text), pattern, &year, &month, &day)) return false;
  if (month < 1 || month > 12 || day < 1) return false;
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return day <= (month == 2 && is_leap ? 29 : days[static_cast<std::size_t>(month - 1)]);
}

bool is_date_time(std::string_view text) {
  static const re2::RE2 time(R"((?is)(\d{2}):(\d{2}):(\d{2})(.\d+)?(?:z|[+-]\d{2}:\d{2}))");
  const std::size_t split = text.find_first_of("tT");
  if (split == std::string_view::npos || !is_date(text.substr(0, split))) return false;
  std::string_view rest = text.substr(split + 1);
  rest = rest.substr(0, rest.find_first_of("tT"));
  int hour = 0, minute = 0, second = 0;
  return re2::RE2::FullMatch(re2::StringPiece(rest), time, &hour, &minute, &second) && hour <= 23 &&
         minute <= 59 && second <= 59;
}

/// Go's time.ParseDuration: "1h30m", "-1.5s", "0".
bool is_go_duration(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  static const re2::RE2 part(R"((\d*)(\.\d*)?(ns|us|µs|μs|ms|s|m|h))");
  constexpr long double most = 9223372036854775808.0L;
  long double total = 0;
  re2::StringPiece rest(text.data(), text.size());
  while (!rest.empty()) {
    re2::StringPiece whole, fraction, unit;
    if (!re2::RE2::Consume(&rest, part, &whole, &fraction, &unit)) return false;
    if (whole.empty() && fraction.size() < 2) return false;
    const std::string number =
        std::string(whole.data(), whole.size()) + std::string(fraction.data(), fraction.size());
    const long double nanoseconds = unit == "ns"   ? 1
                                    : unit == "s"  ? 1e9L
                                    : unit == "m"  ? 60e9L
                                    : unit == "h"  ? 3600e9L
                                    : unit == "ms" ? 1e6L
                                                   : 1e3L;
    if (whole.size() > 19) return false;
    total += std::strtold(number.c_str(), nullptr) * nanoseconds;
    if (total > most) return false;
  }
  return true;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

/// A unit as Scala writes it: one of the short names, or any word that begins with the long one.
bool is_unit(std::string_view word) {
  for (const std::string_view name : {"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"}) {
    if (equals_ignoring_case(word, name)) return true;
  }
  for (const std::string_view begin : {"nano", "micro", "milli", "sec", "min", "hour", "day", "week"}) {
    if (equals_ignoring_case(word.substr(0, begin.size()), begin)) return true;
  }
  return false;
}

bool is_duration(std::string_view text) {
  if (is_go_duration(text)) return true;
  static const re2::RE2 part(R"((\d+)\s*([A-Za-zµ]+))");
  re2::StringPiece rest(text.data(), text.size()), number, unit;
  bool found = false;
  while (re2::RE2::FindAndConsume(&rest, part, &number, &unit)) {
    std::int64_t value = 0;
    if (std::from_chars(number.begin(), number.end(), value).ec != std::errc{}) return false;
    found = found || is_unit({unit.data(), unit.size()});
  }
  return found;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = begin + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    characters.push_back(text.substr(begin, end - begin));
  }
  return characters;
}

bool is_letter(std::string_view character) {
  static const re2::RE2 pattern(R"([a-zA-Z\pL])");
  return matches(character, pattern);
}

bool is_host_character(std::string_view character) {
  static const re2::RE2 pattern(R"([a-zA-Z0-9\pS\pL])");
  return matches(character, pattern);
}

/// A name without dots may have one hyphen, behind its first character.
bool is_only_label(std::span<const std::string_view> label) {
  if (label.empty() || !is_host_character(label[0])) return false;
  label = label.subspan(label.size() > 1 && label[1] == "-" ? 2 : 1);
  return label.size() <= 62 && std::ranges::all_of(label, is_host_character);
}

bool is_host_label(std::span<const std::string_view> label) {
  return !label.empty() && label.size() <= 63 && is_host_character(label.front()) &&
         is_host_character(label.back()) && std::ranges::all_of(label, [](std::string_view one) {
           return one == "-" || is_host_character(one);
         });
}

bool is_hostname(std::string_view text) {
  if (text.size() > 255) return false;
  const auto labels = split(text, '.');
  const auto is_short = [](std::string_view label) { return label.size() <= 63; };
  if (!std::ranges::all_of(labels, is_short)) return false;
  if (labels.size() == 1) return is_only_label(characters_of(text));
  const auto last = characters_of(labels.back());
  return last.size() >= 2 && std::ranges::all_of(last, is_letter) &&
         std::ranges::all_of(std::span(labels).first(labels.size() - 1),
                             [](std::string_view label) { return is_host_label(characters_of(label)); });
}

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

bool is_bson_object_id(std::string_view text) {
  return text.size() == 24 && is_hex(text);
}

/// `version` and `variant` are the characters that may stand there; empty: any.
bool is_uuid(std::string_view text, std::string_view version, std::string_view variant) {
  static const re2::RE2 pattern(
      R"((?i)[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12})");
  std::string found_version, found_variant;
  if (!re2::RE2::FullMatch(re2::StringPiece(text), pattern, &found_version, &found_variant)) return false;
  return (version.empty() || version.find(found_version) != std::string_view::npos) &&
         (variant.empty() || variant.find(found_variant) != std::string_view::npos);
}

std::string without(std::string_view text, bool (*is_removed)(char)) {
  std::string rest;
  std::ranges::copy_if(text, std::back_inserter(rest), [&](char c) { return !is_removed(c); });
  return rest;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string isbn_digits(std::string_view text) {
  return without(text, [](char c) { return c == '-' || c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); });
}

bool is_isbn10(std::string_view text) {
  const std::string digits = isbn_digits(text);
  if (digits.size() != 10) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const char c = digits[static_cast<std::size_t>(i)];
    if (!is_digit(c) && !(i == 9 && c == 'X')) return false;
    sum += (i + 1) * (c == 'X' ? 10 : c - '0');
  }
  return sum % 11 == 0;
}

bool is_isbn13(std::string_view text) {
  const std::string digits = isbn_digits(text);
  if (digits.size() != 13 || !std::ranges::all_of(digits, is_digit)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 13; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
  return sum % 10 == 0;
}

bool is_credit_card(std::string_view text) {
  static const re2::RE2 pattern(R"(4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|)"
                                R"(3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})");
  const std::string digits = without(text, [](char c) { return !is_digit(c); });
  if (!matches(digits, pattern)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int digit = (digits[digits.size() - 1 - i] - '0') * (i % 2 == 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 == 0;
}

bool is_ssn(std::string_view text) {
  static const re2::RE2 pattern(R"(\d{3}[- ]?\d{2}[- ]?\d{4})");
  return text.size() == 11 && matches(text, pattern);
}

bool is_hex_color(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return (text.size() == 3 || text.size() == 6) && is_hex(text);
}

bool is_rgb_color(std::string_view text) {
  static const re2::RE2 pattern(R"(rgb\(\s*(?:(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*){2})"
                                R"((?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\))");
  return matches(text, pattern);
}

bool is_base64(std::string_view text) {
  const std::size_t size = text.size();
  if (size == 0 || size % 4 != 0) return false;
  if (text.ends_with("==")) {
    text.remove_suffix(2);
  } else if (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  return std::ranges::all_of(text, [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
  });
}

bool is_short_name(std::string_view text) {
  const auto is_plain = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); };
  return !text.empty() && text.size() <= 63 && is_plain(text.front()) && is_plain(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return is_plain(c) || c == '-'; });
}

bool is_long_name(std::string_view text) {
  static const re2::RE2 pattern(R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)");
  return text.size() <= 253 && matches(text, pattern);
}

constexpr std::pair<std::string_view, FormatCheck> formats[] = {
    {"bsonobjectid", is_bson_object_id},
    {"byte", is_base64},
    {"cidr", is_cidr},
    {"creditcard", is_credit_card},
    {"date", is_date},
    {"datetime", is_date_time},
    {"duration", is_duration},
    {"email", is_email},
    {"hexcolor", is_hex_color},
    {"hostname", is_hostname},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"isbn", [](std::string_view text) { return is_isbn10(text) || is_isbn13(text); }},
    {"isbn10", is_isbn10},
    {"isbn13", is_isbn13},
    {"k8slongname", is_long_name},
    {"k8sshortname", is_short_name},
    {"mac", is_mac},
    {"password", [](std::string_view) { return true; }},
    {"rgbcolor", is_rgb_color},
    {"ssn", is_ssn},
    {"uri", is_uri},
    {"uuid", [](std::string_view text) { return is_uuid(text, {}, {}); }},
    {"uuid3", [](std::string_view text) { return is_uuid(text, "3", {}); }},
    {"uuid4", [](std::string_view text) { return is_uuid(text, "4", "89abAB"); }},
    {"uuid5", [](std::string_view text) { return is_uuid(text, "5", "89abAB"); }},
};

}  // namespace

FormatCheck find_format(std::string_view name) {
  const std::string plain = without(name, [](char c) { return c == '-'; });
  for (const auto& [known, check] : formats) {
    if (known == plain) return check;
  }
  return nullptr;
}

}  // namespace fairway::schema::internal
