// SPDX-License-Identifier: Apache-2.0

#include "base/http_date.h"

#include <charconv>
#include <chrono>
#include <string>

namespace fairway {

Result<WallTime> parse_http_date(std::string_view text) {
  constexpr std::string_view shape = "Sun, 06 Nov 1994 08:49:37 GMT";
  const auto number = [&](std::size_t at, std::size_t size) {
    int value = -1;
    const auto read = std::from_chars(text.data() + at, text.data() + at + size, value);
    return read.ptr == text.data() + at + size ? value : -1;
  };
  if (text.size() == shape.size()) {
    static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const std::size_t month = months.find(text.substr(8, 3));
    const std::chrono::year_month_day date{std::chrono::year(number(12, 4)),
                                           std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                           std::chrono::day(static_cast<unsigned>(number(5, 2)))};
    // A WallTime counts nanoseconds in 64 bits.
    const bool fits = date.year() >= std::chrono::year(1678) && date.year() <= std::chrono::year(2261);
    if (month % 3 == 0 && date.ok() && fits) {
      const WallTime time = std::chrono::sys_days(date) + std::chrono::hours(number(17, 2)) +
                            std::chrono::minutes(number(20, 2)) + std::chrono::seconds(number(23, 2));
      // Whatever is out of its range, or not where it belongs, does not come back the same.
      if (format_http_date(time) == text) return time;
    }
  }
  return fail(ErrorCode::invalid, "'" + std::string(text.substr(0, 60)) + "' is not a time such as " +
                                      std::string(shape) + " (HTTP's Date)");
}

}  // namespace fairway
