// When a server that is busy wants to be asked again.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"
#include "http/message.h"

namespace fairway::http {

/// No server is waited for longer, whatever it says.
inline constexpr std::chrono::hours longest_retry_after{1};

/// How long the header Retry-After asks to wait (RFC 9110, section 10.2.3): a number of seconds, or an HTTP
/// date as seen from `clock`; a date that has passed is 0. At most `longest_retry_after`. Nothing: there is
/// no such header, or it is neither.
std::optional<std::chrono::nanoseconds> retry_after(const Headers& headers, const Clock& clock);

/// What a busy server says in Retry-After: 1 to 4 s, at random, so that not all who are refused come again at
/// once. Safe from all threads.
std::chrono::seconds retry_after_with_jitter();

}  // namespace fairway::http
