// SPDX-License-Identifier: Apache-2.0

// The header Retry-After, by which a busy server says how long to wait.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"
#include "http/message.h"

namespace fairway::http {

/// The longest wait for a server, whatever it asks for.
inline constexpr std::chrono::hours longest_retry_after{1};

/// Returns the time that the header Retry-After asks to wait (RFC 9110, section 10.2.3): a number of seconds,
/// or an HTTP date as seen from `clock`; a date that has passed is 0. At most `longest_retry_after`. Nothing
/// if there is no such header, or it is neither.
std::optional<std::chrono::nanoseconds> retry_after(const Headers& headers, const Clock& clock);

/// Returns the Retry-After of a busy server: 1 to 4 s, at random, so that not all refused clients retry at
/// once. Safe from all threads.
std::chrono::seconds retry_after_with_jitter();

}  // namespace fairway::http
