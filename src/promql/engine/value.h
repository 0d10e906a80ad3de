// SPDX-License-Identifier: Apache-2.0

// The result of a query.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "promql/engine/labels.h"
#include "promql/parser/function.h"

namespace fairway::promql {

/// A time in milliseconds since 1970.
using Timestamp = std::int64_t;

struct Point {
  Timestamp time = 0;
  double value = 0;
};

/// Returns whether a value is Prometheus's stale marker: the series ended here.
inline bool is_stale(double value) {
  return std::bit_cast<std::uint64_t>(value) == 0x7FF0000000000002U;
}
inline double stale_marker() {
  return std::bit_cast<double>(std::uint64_t{0x7FF0000000000002U});
}

struct Sample {
  Metric metric = {};
  double value = 0;
  Timestamp time = 0;
  /// True if the name is dropped at the end of the query (only with delayed name removal).
  bool drop_name = false;
};
using Vector = std::vector<Sample>;

/// Points ascending by time.
struct SeriesResult {
  Metric metric = {};
  std::vector<Point> points = {};
};

/// A result; `type` says which member is set.
struct Value {
  ValueType type = ValueType::none;
  double scalar = 0;
  std::string string = {};
  Vector vector = {};
  std::vector<SeriesResult> matrix = {};
  /// Time of the query, for a scalar or string.
  Timestamp time = 0;
};

}  // namespace fairway::promql
