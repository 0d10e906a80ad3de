// SPDX-License-Identifier: Apache-2.0

// Verdicts on the risks of a plan, and those that the cluster's operator has already.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "graph/risk.h"
#include "k8s/view.h"
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

/// The verdicts on risks that the cluster's operator has written. An operator writes the condition Applies of
/// a risk (docs/risks.md); without the feature gate ClusterUpdateAcceptRisks it writes none, and the verdict
/// is what the condition Recommended of an update says of all of its risks, or of its only one. Of several
/// verdicts on a risk the strictest counts.
class OperatorVerdicts {
 public:
  explicit OperatorVerdicts(const openshift::ClusterVersion& cluster);

  /// Returns the verdict on the risk with the same name and matching rules. Where there is none, a verdict on
  /// the same name with other rules counts if it speaks against an update. Messages and URLs do not count:
  /// the service may word them anew, and an operator replaces those that the definition refuses.
  /// std::nullopt: there is none.
  std::optional<JudgedRisk> find(const graph::Risk& risk) const;

  /// Returns the verdict of one who has only the operator's word: a rule that needs no data of the cluster,
  /// then `find`. Operators judge the risks of the updates that they list; another risk is unknown, and the
  /// reason says so.
  JudgedRisk judge(const graph::Risk& risk) const;

 private:
  /// Verdicts on a risk with these rules: by the condition Applies, and by the condition Recommended of an
  /// update.
  struct OfRules {
    json::Array rules = {};
    std::optional<JudgedRisk> by_applies = {}, by_recommended = {};
  };
  OfRules& of(const k8s::View& listed);

  std::map<std::string, std::vector<OfRules>, std::less<>> by_name_;
};

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
