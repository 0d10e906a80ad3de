// The machine's clock, moved: for tests that cannot wait.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>

#include "base/clock.h"

namespace fairway::operators {

/// As many seconds ahead of the machine as a file says, which is read again when it has changed. An
/// unreadable file, or one that says no number from 0 to a billion, changes nothing.
class ShiftedClock final : public Clock {
 public:
  explicit ShiftedClock(std::filesystem::path file);

  WallTime now() const override;
  SteadyTime steady() const override;
  bool wait_until(SteadyTime until, std::stop_token stop) override;

  /// Reads the file; whether the clock was moved by this call. Time never goes back.
  bool read();
  /// How far it is ahead by now. Whoever waits reads the file, too.
  std::chrono::seconds shift() const { return std::chrono::seconds(seconds_); }

 private:
  const std::filesystem::path file_;
  std::atomic<std::int64_t> seconds_{0};
};

}  // namespace fairway::operators
