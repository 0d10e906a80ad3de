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
  /// The window, whose start belongs to it in 2.x only, and its length.
  Timestamp start = 0, end = 0;
  double seconds = 0;
  /// When the function is evaluated.
  Timestamp time = 0;
  /// The scalars beside the range, in their order.
  std::span<const double> scalars;
  Dialect dialect = Dialect::prometheus3;
};

/// The value for one series, or nothing where it has none.
using RangeFunction = std::optional<double> (*)(const RangeArguments&);

/// The function of a name; nullptr for absent_over_time, which is no function of a series.
RangeFunction find_range_function(std::string_view name);

}  // namespace fairway::promql
