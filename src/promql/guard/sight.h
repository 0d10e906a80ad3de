// What a query looks at, and what lies out of its sight in time.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "promql/engine/series.h"
#include "promql/guard/cost.h"
#include "promql/parser/ast.h"

namespace fairway::promql {

/// The selectors of a query, in the order of its tree; they live as long as it.
std::vector<const VectorSelector*> selectors_of(const Expression& expression);

/// Whether some part of a query stands at a time of its own (`@ 1700000000`), of which the query's own time
/// does not say how far away it is.
bool has_fixed_time(const Expression& expression);

/// How far a query reaches back from its own time (`Cost::range_seconds`), beside the lookback; at most a
/// hundred years, so that times can be counted with it.
std::chrono::milliseconds reach_of(const Cost& cost);

/// When a query is evaluated, and how far from there it looks.
struct Sight {
  /// The first and the last evaluation; the same for an instant query.
  Timestamp start = 0, end = 0;
  /// `reach_of` the query.
  std::chrono::milliseconds reach{};
  std::chrono::milliseconds lookback{};
};

/// Metrics that a query names and that have samples, but none where it looks, with the time of the last:
/// probably it is not the time that was meant. None for a query with a time of its own.
std::map<std::string, Timestamp> metrics_out_of_sight(const Expression& expression, const SeriesStore& series,
                                                      const Sight& sight);

}  // namespace fairway::promql
