// SPDX-License-Identifier: Apache-2.0

// The selectors and the time range of a query, and metrics without samples in that range.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "promql/engine/series.h"
#include "promql/guard/cost.h"
#include "promql/parser/ast.h"

namespace fairway::promql {

/// Returns the selectors of a query, in tree order; valid as long as the query.
std::vector<const VectorSelector*> selectors_of(const Expression& expression);

/// Returns whether some part of a query has a fixed time (`@ 1700000000`), which is independent of the
/// evaluation time.
bool has_fixed_time(const Expression& expression);

/// Returns the time that a query reaches back from its evaluation time (`Cost::range_seconds`), not counting
/// the lookback; at most a hundred years, so that arithmetic on times cannot overflow.
std::chrono::milliseconds reach_of(const Cost& cost);

/// The evaluation times of a query, and how far back it reads.
struct QueryWindow {
  /// The first and the last evaluation; the same for an instant query.
  Timestamp start = 0, end = 0;
  /// Reach of the query (`reach_of`).
  std::chrono::milliseconds reach{};
  std::chrono::milliseconds lookback{};
};

/// Returns the metrics that the query names and that have samples, but none in its time range, with the time
/// of the latest: probably the evaluation time is wrong. Empty for a query with a fixed time.
std::map<std::string, Timestamp> metrics_outside_window(const Expression& expression,
                                                        const SeriesStore& series, const QueryWindow& window);

}  // namespace fairway::promql
