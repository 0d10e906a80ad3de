// What a capture says of itself.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "promql/engine/series.h"
#include "promql/parser/ast.h"
#include "risk/condition.h"

namespace fairway::risk {

/// How much further than queries look back captures reach, for what instant selectors see there.
inline constexpr std::chrono::milliseconds captured_lookback = std::chrono::minutes(5);

/// The metric that a selector names; nothing where it names none, or several.
std::optional<std::string> metric_of(const promql::VectorSelector& selector);

/// Between which times series have all of which metrics. Empty for series that are no capture.
class Captured {
 public:
  Captured() = default;
  explicit Captured(const promql::SeriesStore& series);

  bool empty() const { return metrics_.empty(); }
  /// Why a question cannot be answered "does not match" at this time; empty where it can.
  std::string gap_of(const Question& question, promql::Timestamp time) const;

 private:
  struct Times {
    promql::Timestamp first = 0, last = 0;
  };
  std::map<std::string, Times, std::less<>> metrics_;
};

}  // namespace fairway::risk
