// SPDX-License-Identifier: Apache-2.0

// The result of evaluating a condition.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "promql/engine/value.h"

namespace fairway::risk {

/// Outcome of an evaluation. The enhancement of docs/risks.md, section Cluster-condition type registry.
enum class Outcome { matches, does_not_match, failed };

/// Returns "matches", "does not match" or "failed".
std::string_view to_string(Outcome outcome);

/// Largest size of the labels of the sample that decided, as they are shown.
inline constexpr std::size_t max_series_bytes = 1'024;

struct Answer {
  /// The cost of an evaluation under the polling rules.
  enum class Spent {
    query,    ///< the query was sent: its hourly interval starts
    turn,     ///< the server was unreachable: retry, after the queries that have waited longer
    slot,     ///< another query was sent on its behalf and failed: due in the next slot
    nothing,  ///< nothing was sent
  };

  Outcome outcome = Outcome::failed;
  /// Value of the sample in the result, if there is exactly one.
  std::optional<double> value;
  /// Labels of that sample, `{cluster="a"}`, cut at `max_series_bytes`; empty: it has none, or they are not
  /// known.
  std::string series = {};
  /// Reason why it failed; otherwise empty.
  std::string error;
  /// Warnings of the server. The result counts nevertheless: the enhancement does not mention
  /// warnings.
  std::vector<std::string> warnings = {};
  /// Name of the evaluator, "remote", with static lifetime. Empty: the evaluator that was called, or none was
  /// needed.
  std::string_view evaluator;
  Spent spent = Spent::query;

  static Answer failure(std::string error, Spent spent = Spent::query);
};

/// Interprets a query's result: one sample of 1 matches, one of 0 (or -0) does not, anything else is a
/// failure, as in the cluster-version operator. `values` are the samples of an instant vector, and empty for
/// other types.
Answer judge(promql::ValueType type, std::span<const double> values);
/// Sets the labels of the sample that decided.
void set_series(Answer& answer, const promql::Metric& metric);
Answer judge(const promql::Value& value);

}  // namespace fairway::risk
