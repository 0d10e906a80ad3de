// SPDX-License-Identifier: Apache-2.0

// Timestamps and durations: text, limits, calendar, time zones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace fairway::cel {

/// Range of timestamps: 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
inline constexpr std::int64_t first_second = -62135596800;
inline constexpr std::int64_t last_second = 253402300799;

/// Parses RFC 3339 with a zone and up to nine digits of a second; std::nullopt if it is not, or out of range.
std::optional<Timestamp> parse_timestamp(std::string_view text);
std::string timestamp_text(Timestamp time);
/// Parses Go's durations, "1h30m", "-2.5s", "0"; std::nullopt if it is none or beyond int64 nanoseconds.
std::optional<std::int64_t> parse_go_duration(std::string_view text);
/// Returns seconds with a fraction, as cel-go's string(duration): "90s", "0.5s".
std::string duration_text(std::int64_t nanoseconds);

/// A time of day in a time zone.
struct CivilTime {
  std::int64_t year = 0;
  /// Month [1, 12] and day [1, 31].
  int month = 1, day = 1;
  int hour = 0, minute = 0, second = 0;
  /// Day of the year [0, 365] and of the week; Sunday is 0.
  int day_of_year = 0, day_of_week = 0;
};
CivilTime civil_time(std::int64_t seconds);

/// Returns the seconds east of UTC at a moment, for "UTC", "+02:00", "-2:00" or a name of the machine's time
/// zones ("America/Los_Angeles"). std::nullopt if there is no such zone.
std::optional<std::int64_t> zone_offset(std::string_view zone, std::int64_t seconds);

}  // namespace fairway::cel
