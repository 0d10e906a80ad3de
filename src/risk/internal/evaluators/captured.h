// SPDX-License-Identifier: Apache-2.0

// The times that a capture covers, by its own series.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "promql/engine/series.h"
#include "promql/parser/ast.h"
#include "risk/condition.h"

namespace fairway::risk {

/// Time that captures reach further back than queries, for the samples that instant selectors read there.
inline constexpr std::chrono::milliseconds captured_lookback = std::chrono::minutes(5);

/// Returns the metric that a selector names; std::nullopt if it names none, or several.
std::optional<std::string> metric_of(const promql::VectorSelector& selector);

/// The times between which series have all of a metric, for each captured metric. Empty if the series are not
/// a capture.
class Captured {
 public:
  Captured() = default;
  explicit Captured(const promql::SeriesStore& series);

  bool empty() const { return metrics_.empty(); }
  /// Returns the reason why a question cannot be answered "does not match" at this time; empty if it can.
  std::string gap_of(const Question& question, promql::Timestamp time) const;

 private:
  struct Times {
    promql::Timestamp first = 0, last = 0;
  };
  std::map<std::string, Times, std::less<>> metrics_;
};

}  // namespace fairway::risk
