// SPDX-License-Identifier: Apache-2.0

#include "operators/shifted_clock.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace fairway::operators {

ShiftedClock::ShiftedClock(std::filesystem::path file) : file_(std::move(file)) {
  read();
}

WallTime ShiftedClock::now() const {
  return Clock::system().now() + std::chrono::seconds(seconds_);
}

SteadyTime ShiftedClock::steady() const {
  return Clock::system().steady() + std::chrono::seconds(seconds_);
}

bool ShiftedClock::wait_until(SteadyTime until, std::stop_token stop) {
  constexpr std::chrono::milliseconds slice{100};
  while (!stop.stop_requested()) {
    read();
    const SteadyTime here = steady();
    if (here >= until) return true;
    const auto left = std::min<std::chrono::nanoseconds>(until - here, slice);
    Clock::system().wait_until(Clock::system().steady() + left, stop);
  }
  return false;
}

bool ShiftedClock::read() {
  constexpr std::int64_t most = 1'000'000'000;
  const auto content = read_file(file_, 64);
  if (!content) return false;
  const std::string_view text = trim(*content);
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds > most) return false;
  std::int64_t before = seconds_;
  while (seconds > before) {
    if (seconds_.compare_exchange_weak(before, seconds)) return true;
  }
  return false;
}

}  // namespace fairway::operators
