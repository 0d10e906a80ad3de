// SPDX-License-Identifier: Apache-2.0

// The machine's clock, moved: for tests that cannot wait.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>

#include "base/clock.h"

namespace fairway::operators {

/// A clock that is ahead of the machine's by the seconds in a file, which is read again while something waits
/// and by `read`. An unreadable file, or one without a number from 0 to a billion, changes nothing.
class ShiftedClock final : public Clock {
 public:
  explicit ShiftedClock(std::filesystem::path file);

  WallTime now() const override;
  SteadyTime steady() const override;
  bool wait_until(SteadyTime until, std::stop_token stop) override;

  /// Reads the file. Returns whether this call moved the clock. Time never goes back.
  bool read();
  /// Returns how far the clock is ahead by now.
  std::chrono::seconds shift() const { return std::chrono::seconds(seconds_); }

 private:
  const std::filesystem::path file_;
  std::atomic<std::int64_t> seconds_{0};
};

}  // namespace fairway::operators
