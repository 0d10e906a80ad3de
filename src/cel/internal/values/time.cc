// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/values/time.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

namespace fairway::cel {

namespace {

constexpr std::int64_t second = 1'000'000'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads exactly `count` digits at the front; -1 if there are none.
int take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

void append_padded(std::string& out, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

/// Returns ".5" for 500,000,000 nanoseconds, "" for none.
std::string fraction_text(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return "";
  std::string digits;
  append_padded(digits, nanoseconds, 9);
  while (digits.ends_with('0')) digits.pop_back();
  return "." + digits;
}

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  const int year = take_digits(text, 4);
  if (year < 0 || !take(text, '-')) return std::nullopt;
  const int month = take_digits(text, 2);
  if (month < 1 || month > 12 || !take(text, '-')) return std::nullopt;
  const int day = take_digits(text, 2);
  if (day < 1 || !(take(text, 'T') || take(text, 't'))) return std::nullopt;
  const int hour = take_digits(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return std::nullopt;
  const int minute = take_digits(text, 2);
  if (minute < 0 || minute > 59 || !take(text, ':')) return std::nullopt;
  const int seconds = take_digits(text, 2);
  if (seconds < 0 || seconds > 59) return std::nullopt;
  std::int64_t fraction = 0;
  if (take(text, '.')) {
    std::int64_t unit = second / 10;
    std::size_t digits = 0;
    for (; digits < text.size() && is_digit(text[digits]); ++digits, unit /= 10)
      fraction += (text[digits] - '0') * unit;
    if (digits == 0) return std::nullopt;
    text.remove_prefix(digits);
  }
  std::int64_t offset = 0;
  if (text == "Z" || text == "z") {
    text = {};
  } else {
    const bool west = text.starts_with('-');
    if (!west && !text.starts_with('+')) return std::nullopt;
    text.remove_prefix(1);
    const int hours = take_digits(text, 2);
    if (hours < 0 || hours > 23 || !take(text, ':')) return std::nullopt;
    const int minutes = take_digits(text, 2);
    if (minutes < 0 || minutes > 59 || !text.empty()) return std::nullopt;
    offset = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t since_1970 = days * 86400 + hour * 3600 + minute * 60 + seconds - offset;
  if (since_1970 < first_second || since_1970 > last_second) return std::nullopt;
  return Timestamp{since_1970, static_cast<std::uint32_t>(fraction)};
}

std::string timestamp_text(Timestamp time) {
  const CivilTime civil = civil_time(time.seconds);
  std::string out;
  append_padded(out, civil.year, 4);
  out += '-';
  append_padded(out, civil.month, 2);
  out += '-';
  append_padded(out, civil.day, 2);
  out += 'T';
  append_padded(out, civil.hour, 2);
  out += ':';
  append_padded(out, civil.minute, 2);
  out += ':';
  append_padded(out, civil.second, 2);
  return out + fraction_text(time.nanoseconds) + "Z";
}

std::optional<std::int64_t> parse_go_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  static constexpr Unit units[] = {
      {"ns", 1},         {"us", 1'000}, {"\xc2\xb5s", 1'000}, {"\xce\xbcs", 1'000},
      {"ms", 1'000'000}, {"s", second}, {"m", 60 * second},   {"h", 3600 * second}};
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  __int128 total = 0;
  while (!text.empty()) {
    __int128 whole = 0;
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) {
      whole = whole * 10 + (text[digits++] - '0');
      if (whole > (__int128{1} << 63)) return std::nullopt;
    }
    text.remove_prefix(digits);
    __int128 fraction = 0, scale = 1;
    if (take(text, '.')) {
      std::size_t decimals = 0;
      while (decimals < text.size() && is_digit(text[decimals])) {
        if (scale < 1'000'000'000'000'000) {
          fraction = fraction * 10 + (text[decimals] - '0');
          scale *= 10;
        }
        ++decimals;
      }
      text.remove_prefix(decimals);
      digits += decimals;
    }
    if (digits == 0) return std::nullopt;
    std::size_t letters = 0;
    while (letters < text.size() && text[letters] != '.' && !is_digit(text[letters])) ++letters;
    const Unit* found = nullptr;
    for (const Unit& unit : units)
      if (unit.name == text.substr(0, letters)) found = &unit;
    if (!found) return std::nullopt;
    text.remove_prefix(letters);
    total += whole * found->nanoseconds + fraction * found->nanoseconds / scale;
    if (total > (__int128{1} << 63)) return std::nullopt;
  }
  if (negative) total = -total;
  if (total > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(total);
}

std::string duration_text(std::int64_t nanoseconds) {
  const bool negative = nanoseconds < 0;
  const std::uint64_t size =
      negative ? 0 - static_cast<std::uint64_t>(nanoseconds) : static_cast<std::uint64_t>(nanoseconds);
  return (negative ? "-" : "") + std::to_string(size / second) +
         fraction_text(static_cast<std::int64_t>(size % second)) + "s";
}

CivilTime civil_time(std::int64_t seconds) {
  std::int64_t days = seconds / 86400;
  std::int64_t rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  const std::chrono::sys_days day{std::chrono::days(days)};
  const std::chrono::year_month_day date(day);
  CivilTime civil;
  civil.year = static_cast<int>(date.year());
  civil.month = static_cast<int>(static_cast<unsigned>(date.month()));
  civil.day = static_cast<int>(static_cast<unsigned>(date.day()));
  civil.hour = static_cast<int>(rest / 3600);
  civil.minute = static_cast<int>(rest % 3600 / 60);
  civil.second = static_cast<int>(rest % 60);
  civil.day_of_year = static_cast<int>((day - std::chrono::sys_days(date.year() / 1 / 1)).count());
  civil.day_of_week = static_cast<int>(std::chrono::weekday(day).c_encoding());
  return civil;
}

}  // namespace fairway::cel
