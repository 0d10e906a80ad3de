// SPDX-License-Identifier: Apache-2.0

// Verdicts on the risks of a plan, and those that the cluster's operator has already.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/risk.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

enum class RiskState {
  applies,
  does_not_apply,
  unknown,   ///< nobody can tell, or nobody has been asked
  accepted,  ///< it applies, and the operator takes it as accepted (`accepts_risks`, `is_accepted`)
};
/// Returns "applies", "doesNotApply", "unknown" or "accepted".
std::string_view to_string(RiskState state);

/// The verdict on a risk.
struct JudgedRisk {
  RiskState state = RiskState::unknown;
  /// Reason why it is unknown; empty otherwise.
  std::string reason = {};
  /// True if the verdict is the same at any time: the risk concerns every cluster.
  bool is_fixed = false;

  /// Returns whether the risk speaks against an update: what is not known does, too (docs/risks.md).
  bool counts() const { return state == RiskState::applies || state == RiskState::unknown; }
};

/// Judges risks: a verdict for each, in their order.
using JudgeRisks = std::function<std::vector<JudgedRisk>(const std::vector<const graph::Risk*>& risks)>;

/// Returns the verdict of a rule that needs no data of the cluster: its first rule is `Always`. Others are
/// unknown, without a reason.
JudgedRisk judge_without_cluster(const graph::Risk& risk);

/// Returns the verdict that the operator has written for a risk with the same name, message and rules: its
/// condition Applies (docs/risks.md). Operators without the feature gate ClusterUpdateAcceptRisks write none:
/// then it is what the condition Recommended of an update says of all of its risks, or of its only one. Of
/// several verdicts the strictest counts. std::nullopt: there is none.
std::optional<JudgedRisk> find_operator_verdict(const graph::Risk& risk,
                                                const openshift::ClusterVersion& cluster);

/// Returns the operator's verdict on a risk. An operator judges the risks of the updates that it lists;
/// another risk is unknown, and the reason says so.
JudgedRisk judge_by_operator(const graph::Risk& risk, const openshift::ClusterVersion& cluster);

/// Returns the verdict of two that speaks more against an update: a risk that applies before one that nobody
/// can judge, and this one before one that does not apply.
JudgedRisk stricter_of(JudgedRisk one, JudgedRisk other);

/// Returns whether the operator takes risks as accepted (the feature gate ClusterUpdateAcceptRisks): it
/// writes the condition Applies only then, and refuses `acceptRisks` otherwise. False where that is not
/// known.
bool accepts_risks(const openshift::ClusterVersion& cluster);

/// Returns whether `spec.desiredUpdate.acceptRisks` has the name of the risk. What that is worth depends on
/// `accepts_risks`, and on the verdict: only a risk that applies can be accepted.
bool is_accepted(const graph::Risk& risk, const openshift::ClusterVersion& cluster);

}  // namespace fairway::adm
