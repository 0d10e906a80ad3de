// SPDX-License-Identifier: Apache-2.0

// Time comes in through a Clock, so that tests decide what time it is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway {

using WallTime = std::chrono::system_clock::time_point;
using SteadyTime = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  /// The time of day, for what people and other machines read.
  virtual WallTime now() const = 0;
  /// Monotonic time, for deadlines and durations.
  virtual SteadyTime steady() const = 0;
  /// Waits until `steady()` reaches `until` or `stop` is requested; true if the time was reached.
  virtual bool wait_until(SteadyTime until, std::stop_token stop) = 0;

  /// The machine's clock.
  static Clock& system();
};

/// A clock that stands still until a test moves it.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(WallTime start = WallTime{});
  WallTime now() const override;
  SteadyTime steady() const override;
  bool wait_until(SteadyTime until, std::stop_token stop) override;
  /// Advances both times and wakes the threads whose wait has ended.
  void advance(std::chrono::nanoseconds by);
  /// Blocks until `count` threads wait on this clock; call it before `advance`.
  void wait_for_waiters(int count);

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  WallTime wall_;
  SteadyTime steady_;
  int waiting_ = 0;
};

/// "2026-02-19T23:09:12Z" (RFC 3339, seconds, UTC).
std::string format_time(WallTime time);
/// Reads RFC 3339 with `Z` or an offset; fractions of a second are accepted and dropped.
Result<WallTime> parse_time(std::string_view text);
/// "Sun, 06 Nov 1994 08:49:37 GMT", the form of HTTP's Date header.
std::string format_http_date(WallTime time);
/// Go's durations, as in flags: "5m", "1h30m", "250ms", "0s". Only "0" may lack a unit.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);
/// The inverse: 5400 s is "1h30m0s".
std::string format_duration(std::chrono::nanoseconds duration);

}  // namespace fairway
