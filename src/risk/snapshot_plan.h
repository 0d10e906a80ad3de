// What series a query needs, where plain selectors can bring them.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "promql/ast.h"

namespace fairway::risk {

/// The needs of a query that can be evaluated over fetched series.
struct SnapshotPlan {
  std::set<std::string> metrics;
  /// Of all its range selectors; 0 where it has none.
  promql::Nanoseconds window = 0;
  /// Those that look at the present, not at a range.
  std::vector<const promql::VectorSelector*> instants;
  std::vector<const promql::VectorSelector*> ranges;
};

/// Nothing where plain selectors at one time do not bring what the query needs. The plan points into the
/// expression.
std::optional<SnapshotPlan> plan_snapshot(const promql::Expression& expression);

/// The query that brings the series of several plans: their metrics by name, with the matchers that all of
/// their selectors share, over `window` (0: the present).
std::string snapshot_query(const std::vector<const SnapshotPlan*>& plans, promql::Nanoseconds window);

}  // namespace fairway::risk
