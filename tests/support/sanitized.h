// SPDX-License-Identifier: Apache-2.0

// A constant that is true if the tests are built with a sanitizer, which makes all take longer and hold more
// memory.
#pragma once

// g++ says it by macros, clang before 21 by features alone.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAIRWAY_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAIRWAY_SANITIZED true
#endif
#endif
#ifndef FAIRWAY_SANITIZED
#define FAIRWAY_SANITIZED false
#endif

namespace fairway::testing {

inline constexpr bool is_sanitized = FAIRWAY_SANITIZED;

}  // namespace fairway::testing

#undef FAIRWAY_SANITIZED
