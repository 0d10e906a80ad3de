// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/times.h"

#include <chrono>
#include <cstdio>

namespace fairway::apiserver::kinds {

namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year_month_day;

constexpr std::int64_t first_second = -62'167'219'200,
                       last_second = 253'402'300'799;  // of the years 0 and 9999

/// Reads exactly `count` digits.
std::optional<int> digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool skip(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<std::string> time_text(std::int64_t seconds) {
  if (seconds < first_second || seconds > last_second) return std::nullopt;
  const sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<days>(time);
  const year_month_day date(day);
  const auto of_day = static_cast<int>((time - day).count());
  char text[32];
  const int size =
      std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), of_day / 3600,
                    of_day / 60 % 60, of_day % 60);
  return std::string(text, static_cast<std::size_t>(size));
}

std::optional<std::string> micro_time_text(const Moment& moment) {
  auto text = time_text(moment.seconds);
  if (!text) return std::nullopt;
  std::string micros = std::to_string(moment.nanoseconds / 1000);
  micros.insert(0, 6 - micros.size(), '0');
  return text->insert(text->size() - 1, "." + micros);
}

std::optional<Moment> read_moment(std::string_view text) {
  const auto year = digits(text, 4);
  if (!year || !skip(text, '-')) return std::nullopt;
  const auto month = digits(text, 2);
  if (!month || !skip(text, '-')) return std::nullopt;
  const auto day = digits(text, 2);
  if (!day || !skip(text, 'T')) return std::nullopt;
  const auto hour = digits(text, 2);
  if (!hour || !skip(text, ':')) return std::nullopt;
  const auto minute = digits(text, 2);
  if (!minute || !skip(text, ':')) return std::nullopt;
  const auto second = digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  Moment moment;
  moment.seconds =
      sys_seconds(sys_days(date)).time_since_epoch().count() + *hour * 3600 + *minute * 60 + *second;
  if (text.starts_with('.') || text.starts_with(',')) {
    text.remove_prefix(1);
    std::int32_t unit = 100'000'000;
    std::size_t count = 0;
    for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count, unit /= 10) {
      moment.nanoseconds += (text[count] - '0') * unit;
    }
    if (count == 0) return std::nullopt;
    text.remove_prefix(count);
  }
  if (text == "Z") return moment;
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto hours = digits(text, 2);
  if (!hours || !skip(text, ':')) return std::nullopt;
  const auto minutes = digits(text, 2);
  if (!minutes || !text.empty() || *hours > 24 || *minutes > 60) return std::nullopt;
  moment.seconds -= sign * (*hours * 3600 + *minutes * 60);
  return moment;
}

}  // namespace fairway::apiserver::kinds
