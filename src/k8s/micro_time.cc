// SPDX-License-Identifier: Apache-2.0

#include "k8s/micro_time.h"

#include <cstdint>

namespace fairway::k8s {

std::string format_micro_time(WallTime time) {
  using std::chrono::floor;
  const auto seconds = floor<std::chrono::seconds>(time);
  std::string text = format_time(seconds);
  std::string digits = std::to_string((floor<std::chrono::microseconds>(time) - seconds).count());
  digits.insert(0, 6 - digits.size(), '0');
  return text.insert(text.size() - 1, "." + digits);
}

Result<WallTime> parse_micro_time(std::string_view text) {
  const auto time = parse_time(text);
  if (!time) return fail(time.error());
  std::int64_t micros = 0, unit = 100'000;
  // A valid time has its fraction, if any, behind the seconds, at 19.
  if (text.size() > 19 && text[19] == '.') {
    for (std::size_t at = 20; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, unit /= 10) {
      micros += (text[at] - '0') * unit;
    }
  }
  return *time + std::chrono::microseconds(micros);
}

}  // namespace fairway::k8s
