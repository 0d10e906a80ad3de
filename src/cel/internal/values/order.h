// SPDX-License-Identifier: Apache-2.0

// The order of values: numbers across their types, text by bytes, times, booleans.
#pragma once

#include <compare>

#include "cel/internal/values/numbers.h"
#include "cel/values/value.h"

namespace fairway::cel {

inline bool is_ordered(const Value& value) {
  return value.kind() >= ValueKind::boolean && value.kind() <= ValueKind::duration;
}

/// Compares two values. Unordered for values of different kinds, unless both are numbers.
inline std::partial_ordering compare_values(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return compare_numbers(a, b);
  if (a.kind() != b.kind()) return std::partial_ordering::unordered;
  switch (a.kind()) {
    case ValueKind::boolean:
      return a.boolean() <=> b.boolean();
    case ValueKind::string:
    case ValueKind::bytes:
      return a.text() <=> b.text();
    case ValueKind::duration:
      return a.nanoseconds() <=> b.nanoseconds();
    case ValueKind::timestamp:
      if (a.timestamp().seconds != b.timestamp().seconds)
        return a.timestamp().seconds <=> b.timestamp().seconds;
      return a.timestamp().nanoseconds <=> b.timestamp().nanoseconds;
    default:
      return std::partial_ordering::unordered;
  }
}

}  // namespace fairway::cel
