// SPDX-License-Identifier: Apache-2.0

#include "adm/plan/judged_risk.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json.h"
#include "openshift/unlisted_updates.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;
using openshift::ConditionalUpdate;

/// Returns whether a risk of the ClusterVersion is this one. Its URL does not count: an operator replaces one
/// that the ClusterVersion's definition refuses.
bool is_same(const k8s::View& listed, const graph::Risk& risk) {
  if (listed.text("name") != risk.name || listed.text("message") != risk.message) return false;
  const json::Value* rules = listed.find("matchingRules");
  json::Array canonical = rules != nullptr && rules->is_array() ? rules->get_array() : json::Array();
  graph::canonicalize_rules(canonical);
  return canonical == risk.matching_rules;
}

/// Returns what an update's condition Recommended says of one of its risks; std::nullopt: nothing, since
/// another risk decided it.
std::optional<JudgedRisk> verdict_of(const ConditionalUpdate& update, const graph::Risk& risk) {
  const auto recommended = update.condition("Recommended");
  if (!recommended) return std::nullopt;
  const std::string_view message = recommended->message();
  const bool is_only_one = update.risks().size() == 1;
  if (recommended->is_true()) return JudgedRisk{.state = RiskState::does_not_apply};
  const bool is_named = !risk.message.empty() && message.find(risk.message) != message.npos;
  if (recommended->is_false() && (is_only_one || is_named)) return JudgedRisk{.state = RiskState::applies};
  if (!recommended->is_false() && is_only_one) return JudgedRisk{.reason = std::string(message)};
  return std::nullopt;
}

}  // namespace

std::string_view to_string(RiskState state) {
  switch (state) {
    case RiskState::applies:
      return "applies";
    case RiskState::does_not_apply:
      return "doesNotApply";
    case RiskState::accepted:
      return "accepted";
    case RiskState::unknown:
      break;
  }
  return "unknown";
}

JudgedRisk judge_without_cluster(const graph::Risk& risk) {
  if (risk.matching_rules.empty()) return {};
  if (json::find_string(risk.matching_rules.front(), "type") == "Always")
    return {.state = RiskState::applies, .is_fixed = true};
  return {};
}

JudgedRisk judge_by_operator(const graph::Risk& risk, const ClusterVersion& cluster) {
  if (JudgedRisk fixed = judge_without_cluster(risk); fixed.is_fixed) return fixed;
  std::optional<JudgedRisk> found;
  for (const ConditionalUpdate& update : cluster.conditional_updates()) {
    const auto risks = update.risks();
    if (std::ranges::none_of(risks, [&](const k8s::View& one) { return is_same(one, risk); })) continue;
    auto verdict = verdict_of(update, risk);
    if (!verdict) continue;
    // A verdict says more than that there is none.
    if (!found || found->state == RiskState::unknown || verdict->state == RiskState::applies)
      found = std::move(verdict);
  }
  if (found) return *std::move(found);
  return {.reason = "the operator has not judged it: it judges the risks of the updates that it lists"};
}

bool is_accepted(const graph::Risk& risk, const ClusterVersion& cluster) {
  return std::ranges::any_of(cluster.items("spec.desiredUpdate.acceptRisks"),
                             [&](const k8s::View& one) { return one.text("name") == risk.name; });
}

}  // namespace fairway::adm
