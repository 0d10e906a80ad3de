// SPDX-License-Identifier: Apache-2.0

// The series that a query needs, where plain selectors can fetch them.
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
  /// Selectors that read the present, not a range, and the metrics that they name.
  std::vector<const promql::VectorSelector*> instants;
  std::set<std::string> present;
  /// Selectors of ranges, and the metrics that they name.
  std::vector<const promql::VectorSelector*> ranges;
  std::set<std::string> past;
  /// Window of all its range selectors; 0 if it has none.
  promql::Nanoseconds window = 0;
  /// Returns the metrics that one query must fetch, of the present or of its ranges; of its ranges if it
  /// needs both.
  const std::set<std::string>& metrics() const { return window == 0 ? present : past; }
  /// True if it reads the clock: `time()`, `hour()`.
  bool reads_clock = false;
};

/// Plans a query; std::nullopt if plain selectors at one time do not fetch everything that it needs. The plan
/// points into the expression.
std::optional<SnapshotPlan> plan_snapshot(const promql::Expression& expression);

/// Returns the query that fetches the series of several plans, of the present (`window` 0) or over `window`:
/// their metrics by name, with the matchers that all of these selectors share. At least one plan has such a
/// selector.
std::string snapshot_query(const std::vector<const SnapshotPlan*>& plans, promql::Nanoseconds window);

}  // namespace fairway::risk
