// From the verdicts on an update's risks to the conditions that a ClusterVersion shows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "graph/risk.h"
#include "risk/answer.h"

namespace fairway::risk {

/// What the rules of one risk come to on this cluster.
struct RiskVerdict {
  Outcome outcome = Outcome::failed;
  /// Why it failed: one text, or several as "[first, second]".
  std::string error;
  /// The type of the rule that decided or, of those that failed, the one that is blamed.
  std::string rule_type;
  /// Whether any of its rules is understood here; without one nothing was evaluated.
  bool recognized = false;
  /// The sample that decided it, where one did.
  std::optional<double> value;
  /// What the monitoring stack warned of beside it.
  std::vector<std::string> warnings = {};
  /// Who evaluated it, when, and when that may be done again at the earliest. Nothing where nobody had to be
  /// asked, or it still waits.
  std::string_view evaluator;
  std::optional<WallTime> last, next;
};

enum class Status { is_true, is_false, unknown };

/// "True", "False", "Unknown".
std::string_view to_string(Status status);

/// A condition of an update, without its times.
struct UpdateCondition {
  Status status = Status::unknown;
  std::string reason, message;
};

/// `Recommended`: only where there is at least one risk, and every one says so. `verdicts` are those of
/// `risks`, one each. facts: operator-and-client, Conditions: rules and PromQL.
UpdateCondition recommended(std::span<const graph::Risk> risks, std::span<const RiskVerdict> verdicts);

/// `Evaluating`: whether every risk has a rule that can be evaluated here.
UpdateCondition evaluating(std::span<const graph::Risk> risks, std::span<const RiskVerdict> verdicts);

/// Whether a name may be a condition's reason.
bool is_reason(std::string_view name);

}  // namespace fairway::risk
