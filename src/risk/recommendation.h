// SPDX-License-Identifier: Apache-2.0

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
  /// Reason why it failed: one message, or several as "[first, second]".
  std::string error;
  /// The type of the rule that decided or, if all failed, of the one reported.
  std::string rule_type;
  /// True if any of its rules is supported; if not, nothing was evaluated.
  bool recognized = false;
  /// Value of the sample that decided it, if one did.
  std::optional<double> value;
  /// Labels of that sample (see `Answer`).
  std::string series = {};
  /// Warnings of the monitoring stack.
  std::vector<std::string> warnings = {};
  /// The evaluator, the time of the evaluation, and the earliest time of the next. Empty if no query was
  /// needed, or it is still pending.
  std::string_view evaluator;
  std::optional<WallTime> last, next;
  /// Position among the queries that wait for their turn, from 1; std::nullopt if no query was needed, or if
  /// none has to wait for another (`PollingRules::between_any` is 0).
  std::optional<std::size_t> place;
};

enum class Status { is_true, is_false, unknown };

/// Returns "True", "False" or "Unknown".
std::string_view to_string(Status status);

/// A condition of an update, without times.
struct UpdateCondition {
  Status status = Status::unknown;
  std::string reason, message;
};

/// Returns the condition `Recommended`: True only if there is at least one risk and the outcome of each is
/// `does_not_match`. `verdicts` has one entry for each of `risks`. Texts are those of the cluster-version
/// operator, and shorter than the 32,768 bytes that Kubernetes accepts: a shortened text says how much is
/// left out, and keeps the URLs of risks.
UpdateCondition recommended(std::span<const graph::Risk> risks, std::span<const RiskVerdict> verdicts);

/// Returns the condition `Evaluating`: whether every risk has a supported rule.
UpdateCondition evaluating(std::span<const graph::Risk> risks, std::span<const RiskVerdict> verdicts);

/// Returns whether a name is a valid condition reason: its form is right, and it has at most 1,024 bytes.
bool is_reason(std::string_view name);

}  // namespace fairway::risk
