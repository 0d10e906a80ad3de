// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/go_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/go_text.h"

namespace fairway::promql {

namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

/// Parses an integer literal of Go, with or without a base prefix or a leading zero. The error, which is
/// always false, means that it is not one, or too large.
std::expected<double, bool> parse_go_integer(std::string_view text) {
  int base = 10;
  bool underscores = false;
  std::string_view digits = text;
  if (text.size() > 1 && text[0] == '0') {
    underscores = true;
    const char kind = static_cast<char>(text[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    digits.remove_prefix(kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1);
  }
  if (digits.empty()) return std::unexpected(false);
  std::uint64_t value = 0;
  // An underscore stands between digits, or between the base prefix and the first digit.
  bool digit_before = digits.size() != text.size();
  for (const char c : digits) {
    if (c == '_') {
      if (!digit_before) return std::unexpected(false);
      digit_before = false;
      underscores = true;
      continue;
    }
    const int digit = digit_value(c);
    if (digit >= base) return std::unexpected(false);
    if (value > (static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - digit) / base)
      return std::unexpected(false);
    value = value * base + digit;
    digit_before = true;
  }
  if (underscores && !digit_before) return std::unexpected(false);
  return static_cast<double>(value);
}

}  // namespace

std::expected<std::string, std::string> unquote(std::string_view literal) {
  const std::unexpected<std::string> invalid("invalid syntax");
  if (literal.size() < 2 || literal.front() != literal.back()) return invalid;
  const char delimiter = literal.front();
  std::string_view text = literal.substr(1, literal.size() - 2);
  if (delimiter == '`') {
    if (text.find('`') != std::string_view::npos) return invalid;
    return std::string(text);
  }
  if ((delimiter != '"' && delimiter != '\'') || text.find('\n') != std::string_view::npos) return invalid;
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    if (c == delimiter) return invalid;
    text.remove_prefix(1);
    if (c != '\\') {
      out += c;
      continue;
    }
    if (text.empty()) return invalid;
    const char escape = text.front();
    text.remove_prefix(1);
    static constexpr std::string_view letters = "abfnrtv", meanings = "\a\b\f\n\r\t\v";
    if (const std::size_t at = letters.find(escape); at != std::string_view::npos) {
      out += meanings[at];
    } else if (escape == '\\' || escape == delimiter) {
      out += escape;
    } else {
      std::size_t count = 0;
      std::uint32_t base = 16, value = 0;
      switch (escape) {
        case 'x':
          count = 2;
          break;
        case 'u':
          count = 4;
          break;
        case 'U':
          count = 8;
          break;
        default:
          if (escape < '0' || escape > '7') return invalid;
          count = 2;
          base = 8;
          value = static_cast<std::uint32_t>(escape - '0');
      }
      if (text.size() < count) return invalid;
      for (std::size_t i = 0; i < count; ++i) {
        const auto digit = static_cast<std::uint32_t>(digit_value(text[i]));
        if (digit >= base) return invalid;
        value = value * base + digit;
      }
      text.remove_prefix(count);
      if (escape == 'u' || escape == 'U') {
        if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return invalid;
        append_utf8(out, value);
      } else {
        if (value > 255) return invalid;
        out += static_cast<char>(value);
      }
    }
  }
  return out;
}

std::string format_fixed(double value, int decimals) {
  if (!std::isfinite(value)) return go_number(value);
  std::array<char, 400> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  return {buffer.data(), end.ptr};
}

std::expected<double, std::string> parse_number(std::string_view text) {
  if (const auto integer = parse_go_integer(text)) return *integer;
  const auto wrong = [&](const char* why) {
    return std::unexpected("strconv.ParseFloat: parsing " + quote(text) + ": " + why);
  };
  std::string lower;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '_') {
      // Underscores separate digits.
      if (i == 0 || i + 1 == text.size() || digit_value(text[i - 1]) > 9 || digit_value(text[i + 1]) > 9)
        return wrong("invalid syntax");
      continue;
    }
    lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  std::string_view rest = lower;
  double sign = 1;
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
    sign = rest.front() == '-' ? -1 : 1;
    rest.remove_prefix(1);
  }
  if (rest == "inf" || rest == "infinity") return sign * std::numeric_limits<double>::infinity();
  if (rest == "nan") return std::numeric_limits<double>::quiet_NaN();
  // Hexadecimal text that comes here lacks the exponent that a hexadecimal fraction needs.
  if (rest.empty() || rest.starts_with("0x") ||
      rest.find_first_not_of("0123456789.e+-") != std::string_view::npos)
    return wrong("invalid syntax");
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (end != rest.data() + rest.size()) return wrong("invalid syntax");
  if (error == std::errc::result_out_of_range) {
    // A number too small is zero to Go, not an error.
    const double rounded = std::strtod(lower.c_str(), nullptr);
    if (std::isinf(rounded)) return wrong("value out of range");
    return rounded;
  }
  if (error != std::errc{}) return wrong("invalid syntax");
  return sign * value;
}

std::expected<std::int64_t, std::string> parse_duration_text(std::string_view text, Dialect dialect) {
  if (text.empty()) return std::unexpected("empty duration string");
  if (text == "0") return 0;
  struct Unit {
    std::string_view name;
    int order;
    std::int64_t milliseconds;
  };
  static constexpr std::array<Unit, 7> units = {{{"ms", 7, 1},
                                                 {"s", 6, 1000},
                                                 {"m", 5, 60'000},
                                                 {"h", 4, 3'600'000},
                                                 {"d", 3, 86'400'000},
                                                 {"w", 2, 7 * 86'400'000LL},
                                                 {"y", 1, 365 * 86'400'000LL}}};
  const auto invalid = [&] { return std::unexpected("not a valid duration string: " + quote(text)); };
  // A duration is an int64 of nanoseconds to Prometheus.
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 1'000'000;
  std::int64_t total = 0;
  int last_order = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (end == rest.data() || rest.front() == '-') return invalid();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const std::size_t length = std::min(rest.find_first_of("0123456789"), rest.size());
    const Unit* unit = nullptr;
    for (const Unit& candidate : units) {
      if (candidate.name == rest.substr(0, length)) unit = &candidate;
    }
    if (unit == nullptr && dialect == Dialect::prometheus3)
      return std::unexpected("unknown unit " + quote(rest.substr(0, length)) + " in duration " + quote(text));
    if (unit == nullptr || unit->order <= last_order) return invalid();
    if (error != std::errc{} || count > (limit - total) / unit->milliseconds)
      return std::unexpected("duration out of range");
    last_order = unit->order;
    total += count * unit->milliseconds;
    rest.remove_prefix(length);
  }
  return total;
}

std::string format_duration_text(std::int64_t milliseconds) {
  if (milliseconds == 0) return "0s";
  std::string out;
  struct Unit {
    std::string_view name;
    std::int64_t milliseconds;
    bool exact;
  };
  static constexpr std::array<Unit, 7> units = {{{"y", 365 * 86'400'000LL, true},
                                                 {"w", 7 * 86'400'000LL, true},
                                                 {"d", 86'400'000, false},
                                                 {"h", 3'600'000, false},
                                                 {"m", 60'000, false},
                                                 {"s", 1000, false},
                                                 {"ms", 1, false}}};
  std::uint64_t rest = milliseconds < 0 ? 0 - static_cast<std::uint64_t>(milliseconds)
                                        : static_cast<std::uint64_t>(milliseconds);
  if (milliseconds < 0) out += '-';
  for (const Unit& unit : units) {
    const auto size = static_cast<std::uint64_t>(unit.milliseconds);
    // Years and weeks are written only where nothing remains: 90 days stay days.
    if (unit.exact && rest % size != 0) continue;
    if (const std::uint64_t count = rest / size; count > 0) {
      out += std::to_string(count);
      out += unit.name;
      rest -= count * size;
    }
  }
  return out;
}

}  // namespace fairway::promql
