// SPDX-License-Identifier: Apache-2.0

// Numbers compared across their types.
#pragma once

#include <compare>

#include "cel/values/value.h"

namespace fairway::cel {

inline bool is_number(const Value& value) {
  return value.kind() >= ValueKind::integer && value.kind() <= ValueKind::floating;
}

// An integer is compared with a double as a double, which is what cel-go does: 9223372036854775807
// equals 2.0^63.
inline std::partial_ordering compare(std::int64_t a, double b) {
  return static_cast<double>(a) <=> b;
}

inline std::partial_ordering compare(std::uint64_t a, double b) {
  return static_cast<double>(a) <=> b;
}

inline std::partial_ordering compare(std::int64_t a, std::uint64_t b) {
  if (a < 0) return std::partial_ordering::less;
  return static_cast<std::uint64_t>(a) <=> b;
}

inline std::partial_ordering reversed(std::partial_ordering order) {
  return 0 <=> order;
}

/// Compares two numbers. Unordered with NaN.
inline std::partial_ordering compare_numbers(const Value& a, const Value& b) {
  switch (a.kind()) {
    case ValueKind::integer:
      if (b.is(ValueKind::integer)) return a.integer() <=> b.integer();
      if (b.is(ValueKind::unsigned_integer)) return compare(a.integer(), b.unsigned_integer());
      return compare(a.integer(), b.floating());
    case ValueKind::unsigned_integer:
      if (b.is(ValueKind::integer)) return reversed(compare(b.integer(), a.unsigned_integer()));
      if (b.is(ValueKind::unsigned_integer)) return a.unsigned_integer() <=> b.unsigned_integer();
      return compare(a.unsigned_integer(), b.floating());
    default:
      if (b.is(ValueKind::integer)) return reversed(compare(b.integer(), a.floating()));
      if (b.is(ValueKind::unsigned_integer)) return reversed(compare(b.unsigned_integer(), a.floating()));
      return a.floating() <=> b.floating();
  }
}

}  // namespace fairway::cel
