// The result of evaluating a condition.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "promql/engine/value.h"

namespace fairway::risk {

/// The enhancement of docs/risks.md, section Cluster-condition type registry.
enum class Outcome { matches, does_not_match, failed };

/// "matches", "does not match", "failed".
std::string_view to_string(Outcome outcome);

struct Answer {
  /// How an evaluation counts against the polling rules.
  enum class Spent {
    query,    ///< the query was sent: its hourly interval starts
    turn,     ///< the server was unreachable: retry, after the queries that have waited longer
    slot,     ///< another query was sent on its behalf and failed: due in the next slot
    nothing,  ///< nothing was sent
  };

  Outcome outcome = Outcome::failed;
  /// The sample in the result, if there is exactly one.
  std::optional<double> value;
  /// Why it failed; otherwise empty.
  std::string error;
  /// Warnings of the server. The result counts nevertheless: the enhancement does not mention
  /// warnings.
  std::vector<std::string> warnings = {};
  /// The evaluator's name, "remote", with static lifetime. Empty: the evaluator that was called, or none was
  /// needed.
  std::string_view evaluator;
  Spent spent = Spent::query;

  static Answer failure(std::string error, Spent spent = Spent::query);
};

/// Interprets a query's result: one sample of 1 matches, one of 0 (or -0) does not, anything else is a
/// failure, as in the cluster-version operator. `values` are the samples of an instant vector, and empty for
/// other types.
Answer judge(promql::ValueType type, std::span<const double> values);
Answer judge(const promql::Value& value);

}  // namespace fairway::risk
