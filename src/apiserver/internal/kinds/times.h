// SPDX-License-Identifier: Apache-2.0

// Times of objects, which may be of any year from 1 to 9999.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::apiserver::kinds {

/// A moment: seconds since 1970, and the fraction beyond them.
struct Moment {
  std::int64_t seconds = 0;
  std::int32_t nanoseconds = 0;

  /// Returns whether it is 0001-01-01T00:00:00Z, Go's time that is not set; JSON has null for it.
  bool is_zero() const { return seconds == -62'135'596'800 && nanoseconds == 0; }
};

/// Returns a time as "2026-02-19T23:09:12Z"; std::nullopt outside of the years 0 to 9999.
std::optional<std::string> time_text(std::int64_t seconds);
/// Returns a time as "2026-02-19T23:09:12.000123Z"; std::nullopt as `time_text`.
std::optional<std::string> micro_time_text(const Moment& moment);
/// Reads RFC 3339: with `Z` or an offset, with or without a fraction. std::nullopt if it is not well-formed.
std::optional<Moment> read_moment(std::string_view text);

}  // namespace fairway::apiserver::kinds
