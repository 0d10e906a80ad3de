// What series a query needs, where plain selectors can bring them.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "promql/parser/ast.h"

namespace fairway::risk {

/// The needs of a query that can be evaluated over fetched series.
struct SnapshotPlan {
  /// Selectors that look at the present, not at a range, and the metrics that they name.
  std::vector<const promql::VectorSelector*> instants;
  std::set<std::string> present;
  /// Those of ranges.
  std::vector<const promql::VectorSelector*> ranges;
  std::set<std::string> past;
  /// Of all its range selectors; 0 where it has none.
  promql::Nanoseconds window = 0;
  /// What one query has to bring, of the present or of its ranges; of the latter where it needs both.
  const std::set<std::string>& metrics() const { return window == 0 ? present : past; }
  /// True if it looks at the clock itself: `time()`, `hour()`.
  bool reads_clock = false;
};

/// Nothing where plain selectors at one time do not bring what the query needs. The plan points into the
/// expression.
std::optional<SnapshotPlan> plan_snapshot(const promql::Expression& expression);

/// The query that brings what several plans need of the present (`window` 0), or over `window`: their metrics
/// by name, with the matchers that all of these selectors share. At least one plan has such a selector.
std::string snapshot_query(const std::vector<const SnapshotPlan*>& plans, promql::Nanoseconds window);

}  // namespace fairway::risk
