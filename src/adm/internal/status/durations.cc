// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/status/durations.h"

#include <string_view>

#include "base/clock.h"

namespace fairway::adm {

std::string short_duration(std::chrono::nanoseconds duration) {
  std::string text = format_duration(std::chrono::duration_cast<std::chrono::seconds>(duration));
  if (text == "0s") return "now";
  if (text.ends_with("m0s")) text.resize(text.size() - 2);
  if (text.ends_with("h0m")) text.resize(text.size() - 2);
  return text;
}

std::chrono::nanoseconds elapsed(WallTime from, WallTime to) {
  using std::chrono::floor, std::chrono::seconds;
  constexpr seconds century = std::chrono::years(100);
  const seconds about = floor<seconds>(to.time_since_epoch()) - floor<seconds>(from.time_since_epoch());
  if (about > century) return century;
  if (about < -century) return -century;
  return to - from;
}

std::chrono::nanoseconds round_to(std::chrono::nanoseconds duration, std::chrono::nanoseconds unit) {
  const auto half = duration < duration.zero() ? -unit / 2 : unit / 2;
  return (duration + half) / unit * unit;
}

}  // namespace fairway::adm
