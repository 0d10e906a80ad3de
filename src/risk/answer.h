// What evaluating a condition gives.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "promql/engine/value.h"

namespace fairway::risk {

/// spec: targeted-update-edge-blocking, Cluster-condition type registry.
enum class Outcome { matches, does_not_match, failed };

/// "matches", "does not match", "failed".
std::string_view to_string(Outcome outcome);

struct Answer {
  /// What an evaluation has used up of what the polling rules allow.
  enum class Spent {
    query,    ///< the monitoring stack was asked this: its hour begins
    turn,     ///< nobody could be reached: it may go again in a slot for which nobody waits longer
    slot,     ///< it was asked something else on this one's behalf, in vain: this one may go in the next slot
    nothing,  ///< nothing was sent
  };

  Outcome outcome = Outcome::failed;
  /// The sample that the query gave, where it gave one.
  std::optional<double> value;
  /// Why it failed; otherwise empty.
  std::string error;
  /// What the monitoring stack warned of beside its answer. It counts all the same: the spec knows no
  /// warnings.
  std::vector<std::string> warnings = {};
  /// Who evaluated it, a text that lives as long as the program: "remote". Empty: the evaluator that was
  /// asked, or nobody had to be.
  std::string_view evaluator;
  Spent spent = Spent::query;

  static Answer failure(std::string error, Spent spent = Spent::query);
};

/// What a query's result says: one sample that is 1 matches, one that is 0 (or -0) does not, everything else
/// is a failure. `values` are those of the samples of an instant vector, and empty for other types.
/// facts: operator-and-client, Conditions: rules and PromQL.
Answer judge(promql::ValueType type, std::span<const double> values);
Answer judge(const promql::Value& value);

}  // namespace fairway::risk
