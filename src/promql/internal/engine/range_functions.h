// SPDX-License-Identifier: Apache-2.0

// Functions of the points of one window.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "promql/engine/value.h"
#include "promql/parser/dialect.h"

namespace fairway::promql {

struct RangeArguments {
  std::span<const Point> points;
  /// Window, which includes its start in 2.x only, and its length.
  Timestamp start = 0, end = 0;
  double seconds = 0;
  /// Evaluation time.
  Timestamp time = 0;
  /// Scalar arguments beside the range, in their order.
  std::span<const double> scalars;
  Dialect dialect = Dialect::prometheus3;
};

/// A function of a range: returns the value for one series, or std::nullopt if it has none.
using RangeFunction = std::optional<double> (*)(const RangeArguments&);

/// Returns the function of a name; nullptr for absent_over_time, which is not a function of one series.
RangeFunction find_range_function(std::string_view name);

}  // namespace fairway::promql
