// SPDX-License-Identifier: Apache-2.0

#include "adm/plan/judged_risk.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "k8s/condition.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;
using openshift::ConditionalUpdate;

/// All risks of the listed updates, each name once.
constexpr std::string_view all_risks = "status.conditionalUpdateRisks";

/// Adds a verdict to what is known of a risk.
void add(JudgedRisk verdict, std::optional<JudgedRisk>& found) {
  found = found ? stricter_of(*std::move(found), std::move(verdict)) : std::move(verdict);
}

/// Returns what the condition Applies of a risk in ClusterVersion says; std::nullopt: it has none.
std::optional<JudgedRisk> applies_of(const k8s::View& listed) {
  const auto applies = k8s::find_condition(listed, "Applies", "conditions");
  if (!applies) return std::nullopt;
  if (applies->is_true()) return JudgedRisk{.state = RiskState::applies};
  if (applies->is_false()) return JudgedRisk{.state = RiskState::does_not_apply};
  return JudgedRisk{.reason = std::string(applies->message())};
}

/// Returns what an update's condition Recommended says of each of its risks; std::nullopt: nothing, since it
/// does not say which of them decided it.
std::optional<JudgedRisk> recommended_of(const ConditionalUpdate& update) {
  const auto recommended = update.condition("Recommended");
  if (!recommended) return std::nullopt;
  if (recommended->is_true()) {
    // One that is accepted applies.
    if (recommended->reason() == "AllExposedRisksAccepted") return std::nullopt;
    return JudgedRisk{.state = RiskState::does_not_apply};
  }
  if (update.risks().size() != 1) return std::nullopt;
  if (recommended->is_false()) return JudgedRisk{.state = RiskState::applies};
  return JudgedRisk{.reason = std::string(recommended->message())};
}

/// Returns the place of a verdict in the order of `stricter_of`.
int strictness(RiskState state) {
  return state == RiskState::applies ? 2 : state == RiskState::unknown ? 1 : 0;
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

OperatorVerdicts::OperatorVerdicts(const ClusterVersion& cluster) {
  for (const k8s::View& listed : cluster.items(all_risks))
    if (auto verdict = applies_of(listed)) add(*std::move(verdict), of(listed).by_applies);
  for (const ConditionalUpdate& update : cluster.conditional_updates()) {
    const auto of_update = recommended_of(update);
    for (const k8s::View& listed : update.risks()) {
      by_name_[std::string(listed.text("name"))];  // it is listed, whether there is a verdict or not
      if (auto verdict = applies_of(listed)) {
        add(*std::move(verdict), of(listed).by_applies);
      } else if (of_update) {
        add(*of_update, of(listed).by_recommended);
      }
    }
  }
}

OperatorVerdicts::OfRules& OperatorVerdicts::of(const k8s::View& listed) {
  const json::Value* rules = listed.find("matchingRules");
  json::Array canonical = rules != nullptr && rules->is_array() ? rules->get_array() : json::Array();
  graph::canonicalize_rules(canonical);
  auto& of_name = by_name_[std::string(listed.text("name"))];
  const auto found = std::ranges::find(of_name, canonical, &OfRules::rules);
  if (found != of_name.end()) return *found;
  return of_name.emplace_back(OfRules{.rules = std::move(canonical)});
}

std::optional<JudgedRisk> OperatorVerdicts::find(const graph::Risk& risk) const {
  const auto of_name = by_name_.find(risk.name);
  if (of_name == by_name_.end()) return std::nullopt;
  std::optional<JudgedRisk> of_others;
  for (const OfRules& one : of_name->second) {
    const auto& verdict = one.by_applies ? one.by_applies : one.by_recommended;
    if (!verdict) continue;
    if (one.rules == risk.matching_rules) return verdict;
    if (verdict->counts()) add(*verdict, of_others);
  }
  return of_others;
}

JudgedRisk OperatorVerdicts::judge(const graph::Risk& risk) const {
  if (JudgedRisk fixed = judge_without_cluster(risk); fixed.is_fixed) return fixed;
  if (auto found = find(risk)) return *std::move(found);
  if (const auto listed = by_name_.find(risk.name); listed != by_name_.end()) {
    return {.reason =
                listed->second.empty()
                    ? "the operator judges its update as a whole, and does not say whether this risk applies"
                    : "the operator has judged a risk of this name by other rules only"};
  }
  return {.reason = "the operator has not judged it: it judges the risks of the updates that it lists"};
}

JudgedRisk stricter_of(JudgedRisk one, JudgedRisk other) {
  const bool keeps = strictness(one.state) >= strictness(other.state);
  return keeps ? std::move(one) : std::move(other);
}

bool accepts_risks(const ClusterVersion& cluster) {
  if (const auto invalid = cluster.condition("Invalid"); invalid && invalid->is_true()) return false;
  const auto has_verdict = [](const k8s::View& listed) { return applies_of(listed).has_value(); };
  return std::ranges::any_of(cluster.items(all_risks), has_verdict) ||
         std::ranges::any_of(cluster.conditional_updates(), [&](const ConditionalUpdate& update) {
           return std::ranges::any_of(update.risks(), has_verdict);
         });
}

bool is_accepted(const graph::Risk& risk, const ClusterVersion& cluster) {
  return std::ranges::any_of(cluster.items("spec.desiredUpdate.acceptRisks"),
                             [&](const k8s::View& one) { return one.text("name") == risk.name; });
}

}  // namespace fairway::adm
