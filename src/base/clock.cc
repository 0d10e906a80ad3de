// SPDX-License-Identifier: Apache-2.0

#include "base/clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

namespace fairway {

namespace {

class SystemClock final : public Clock {
 public:
  WallTime now() const override { return std::chrono::system_clock::now(); }
  SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
  bool wait_until(SteadyTime until, std::stop_token stop) override {
    std::mutex mutex;
    std::condition_variable_any never_notified;
    std::unique_lock lock(mutex);
    never_notified.wait_until(lock, stop, until, [&] { return steady() >= until; });
    return steady() >= until;
  }
};

std::tm to_utc(WallTime time) {
  return fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time)));
}

}  // namespace

Clock& Clock::system() {
  static SystemClock clock;
  return clock;
}

FakeClock::FakeClock(WallTime start) : wall_(start), steady_(std::chrono::hours(1)) {}

WallTime FakeClock::now() const {
  const std::lock_guard lock(mutex_);
  return wall_;
}

SteadyTime FakeClock::steady() const {
  const std::lock_guard lock(mutex_);
  return steady_;
}

bool FakeClock::wait_until(SteadyTime until, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, stop, [&] { return steady_ >= until; });
  --waiting_;
  return steady_ >= until;
}

void FakeClock::advance(std::chrono::nanoseconds by) {
  const std::lock_guard lock(mutex_);
  wall_ += std::chrono::duration_cast<WallTime::duration>(by);
  steady_ += std::chrono::duration_cast<SteadyTime::duration>(by);
  changed_.notify_all();
}

void FakeClock::wait_for_waiters(int count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_ >= count; });
}

std::string format_time(WallTime time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", to_utc(time));
}

std::string format_http_date(WallTime time) {
  constexpr std::array days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::tm utc = to_utc(time);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", days[static_cast<std::size_t>(utc.tm_wday)],
                     utc.tm_mday, months[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

namespace {

/// A time in whole seconds, or the nearest one that a WallTime can hold: its nanoseconds reach from 1677 to
/// 2262, and Go writes a time that is not set as one of the year 1.
WallTime nearest(std::chrono::sys_seconds time) {
  constexpr auto first = std::chrono::ceil<std::chrono::seconds>(WallTime::min()),
                 last = std::chrono::floor<std::chrono::seconds>(WallTime::max());
  return std::clamp(time, first, last);
}

}  // namespace

Result<WallTime> parse_time(std::string_view text) {
  const auto bad = [&] {
    return fail(ErrorCode::invalid, "'" + std::string(text.substr(0, 60)) +
                                        "' is not a time such as 2026-02-19T23:09:12Z (RFC 3339)");
  };
  const auto number = [&](std::size_t at, std::size_t size, int& value) {
    if (text.size() < at + size) return false;
    const char* end = text.data() + at + size;
    const auto read = std::from_chars(text.data() + at, end, value);
    return read.ec == std::errc{} && read.ptr == end && value >= 0;
  };
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!number(0, 4, year) || !number(5, 2, month) || !number(8, 2, day) || !number(11, 2, hour) ||
      !number(14, 2, minute) || !number(17, 2, second)) {
    return bad();
  }
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't') || text[13] != ':' ||
      text[16] != ':') {
    return bad();
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return bad();
  std::size_t at = 19;
  if (at < text.size() && text[at] == '.') {
    const std::size_t digits = ++at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
    if (at == digits) return bad();
  }
  const std::chrono::sys_seconds time = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                                        std::chrono::minutes(minute) + std::chrono::seconds(second);
  if (text.substr(at) == "Z" || text.substr(at) == "z") return nearest(time);
  int offset_hours = 0, offset_minutes = 0;
  if (text.size() != at + 6 || (text[at] != '+' && text[at] != '-') || text[at + 3] != ':' ||
      !number(at + 1, 2, offset_hours) || !number(at + 4, 2, offset_minutes) || offset_hours > 23 ||
      offset_minutes > 59) {
    return bad();
  }
  const auto offset = std::chrono::hours(offset_hours) + std::chrono::minutes(offset_minutes);
  return nearest(text[at] == '+' ? time - offset : time + offset);
}

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::invalid,
                "'" + std::string(text.substr(0, 60)) +
                    "' is not a duration such as 5m, 1h30m or 250ms: " + std::string(why));
  };
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty()) return bad("it is empty");
  struct Unit {
    std::string_view name;
    double nanoseconds;
  };
  constexpr std::array<Unit, 8> units = {{{"ns", 1},
                                          {"us", 1e3},
                                          {"µs", 1e3},
                                          {"ms", 1e6},
                                          {"s", 1e9},
                                          {"m", 60e9},
                                          {"h", 3600e9},
                                          {"d", 86400e9}}};
  double total = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    double value = 0;
    const auto read =
        std::from_chars(rest.data(), rest.data() + rest.size(), value, std::chars_format::fixed);
    if (read.ec != std::errc{} ||
        std::string_view("0123456789.").find(rest.front()) == std::string_view::npos)
      return bad("a number is missing");
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    const std::size_t end = std::min(rest.find_first_of("0123456789."), rest.size());
    const Unit* found = nullptr;
    for (const Unit& unit : units) {
      if (rest.substr(0, end) == unit.name) found = &unit;
    }
    if (found == nullptr) return bad("a unit (ns, us, ms, s, m, h, d) is missing");
    rest.remove_prefix(end);
    total += value * found->nanoseconds;
  }
  constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max() / 2;
  if (total > static_cast<double>(longest)) return bad("it is too long");
  return std::chrono::nanoseconds(static_cast<std::int64_t>(total));
}

std::string format_duration(std::chrono::nanoseconds duration) {
  if (duration.count() == 0) return "0s";
  std::string sign;
  std::int64_t left = duration.count();
  if (left < 0) {
    sign = "-";
    left = -left;
  }
  const auto decimal = [](std::int64_t value, std::int64_t unit, std::string_view name) {
    std::string text = fmt::format("{}", value / unit);
    if (value % unit != 0) {
      std::string fraction =
          fmt::format("{:.9f}", static_cast<double>(value % unit) / static_cast<double>(unit)).substr(1);
      fraction.erase(fraction.find_last_not_of('0') + 1);
      text += fraction;
    }
    return text + std::string(name);
  };
  if (left < 1'000) return sign + decimal(left, 1, "ns");
  if (left < 1'000'000) return sign + decimal(left, 1'000, "µs");
  if (left < 1'000'000'000) return sign + decimal(left, 1'000'000, "ms");
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t hours = left / (3600 * second);
  const std::int64_t minutes = left / (60 * second) % 60;
  std::string text = sign;
  if (hours > 0) text += fmt::format("{}h", hours);
  if (hours > 0 || minutes > 0) text += fmt::format("{}m", minutes);
  return text + decimal(left % (60 * second), second, "s");
}

}  // namespace fairway
