// SPDX-License-Identifier: Apache-2.0

#include "http/retry_after.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <random>

#include "base/http_date.h"
#include "base/text.h"

namespace fairway::http {

std::optional<std::chrono::nanoseconds> retry_after(const Headers& headers, const Clock& clock) {
  using std::chrono::nanoseconds;
  const auto value = headers.find("Retry-After");
  if (!value) return std::nullopt;
  const std::string_view text = trim(*value);
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos) {
    constexpr std::int64_t most = std::chrono::seconds(longest_retry_after).count();
    std::int64_t seconds = most;  // what does not fit is more than that, too
    std::from_chars(text.data(), text.data() + text.size(), seconds);
    return std::chrono::seconds(std::min(seconds, most));
  }
  const auto date = parse_http_date(text);
  if (!date) return std::nullopt;
  return std::clamp<nanoseconds>(*date - clock.now(), nanoseconds(0), longest_retry_after);
}

std::chrono::seconds retry_after_with_jitter() {
  constexpr int most = 4;
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::chrono::seconds(std::uniform_int_distribution<int>(1, most)(random));
}

}  // namespace fairway::http
