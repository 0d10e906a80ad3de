// Maps the verdicts on an update's risks to ClusterVersion conditions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "graph/risk.h"
#include "risk/answer.h"

namespace fairway::risk {

/// The result of one risk's matching rules on this cluster.
struct RiskVerdict {
  Outcome outcome = Outcome::failed;
  /// Why it failed: one message, or several as "[first, second]".
  std::string error;
  /// The type of the rule that decided or, if all failed, of the one reported.
  std::string rule_type;
  /// True if any of its rules is supported; if not, nothing was evaluated.
  bool recognized = false;
  /// The sample that decided it, if one did.
  std::optional<double> value;
  /// Warnings of the monitoring stack.
  std::vector<std::string> warnings = {};
  /// The evaluator, the time of the evaluation, and the earliest time of the next. Empty if no query was
  /// needed, or it is still pending.
  std::string_view evaluator;
  std::optional<WallTime> last, next;
  /// Its place among the queries that wait for their turn, from 1; none where no query was needed, or where
  /// none has to wait for another (`PollingRules::between_any` is 0).
  std::optional<std::size_t> place;
};

enum class Status { is_true, is_false, unknown };

/// "True", "False", "Unknown".
std::string_view to_string(Status status);

/// A condition of an update, without times.
struct UpdateCondition {
  Status status = Status::unknown;
  std::string reason, message;
};

/// The condition `Recommended`: True only if there is at least one risk and the outcome of each is
/// `does_not_match`. `verdicts` has one entry for each of `risks`. Texts as in the cluster-version
/// operator, and shorter than the 32,768 bytes that Kubernetes accepts: what is left out of a long one is
/// counted in it, and the URLs of risks are kept.
UpdateCondition recommended(std::span<const graph::Risk> risks, std::span<const RiskVerdict> verdicts);

/// The condition `Evaluating`: whether every risk has a supported rule.
UpdateCondition evaluating(std::span<const graph::Risk> risks, std::span<const RiskVerdict> verdicts);

/// Returns whether a name is a valid condition reason: its form, and at most 1,024 bytes.
bool is_reason(std::string_view name);

}  // namespace fairway::risk
