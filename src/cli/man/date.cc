// SPDX-License-Identifier: Apache-2.0

#include "cli/man/date.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace fairway::cli {
namespace {

std::string two_digits(unsigned number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

Result<std::string> page_date(const char* source_date_epoch) {
  const std::string_view text = source_date_epoch == nullptr ? "" : source_date_epoch;
  if (text.empty()) return "";
  constexpr std::int64_t end = 253'402'300'800;  // 10000-01-01
  std::int64_t seconds = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (fault != std::errc() || stop != text.data() + text.size() || seconds < 0 || seconds >= end) {
    return fail(ErrorCode::invalid, "dating the manual: SOURCE_DATE_EPOCH is '" + printable(text) +
                                        "', which is no number of seconds since 1970; unset it, or set it to "
                                        "one, for example of `date +%s`");
  }
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(seconds))));
  return std::to_string(static_cast<int>(day.year())) + "-" + two_digits(static_cast<unsigned>(day.month())) +
         "-" + two_digits(static_cast<unsigned>(day.day()));
}

}  // namespace fairway::cli
