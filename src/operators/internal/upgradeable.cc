// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/upgradeable.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/cut_text.h"
#include "base/text.h"
#include "operators/internal/censor.h"
#include "operators/update_lists.h"

namespace fairway::operators {
namespace {

// The texts of OpenShift's present operator. A message that begins with one of these was written here.
constexpr std::string_view one_operator = "Cluster operator ";
constexpr std::string_view several_operators =
    "Multiple cluster operators should not be upgraded between minor versions:";
constexpr std::string_view several_reasons =
    "Cluster should not be upgraded between minor versions for multiple reasons: ";
constexpr std::string_view overridden =
    "Disabling ownership via cluster version overrides prevents upgrades between minor or major versions. "
    "Please remove overrides before requesting a minor or major version update.";
/// Text after "Cluster operator etcd".
constexpr std::string_view of_operator = " should not be upgraded between minor versions: ";
constexpr const char* default_reason = "ClusterOperatorsNotUpgradeable";

Finding finding_of(std::string reason, std::string message) {
  return {
      .status = k8s::ConditionStatus::is_false, .reason = std::move(reason), .message = std::move(message)};
}

std::optional<Finding> of_operators(ClusterOperators operators) {
  std::ranges::sort(operators, {}, [](const auto& one) { return one->name(); });
  std::vector<std::pair<std::string, k8s::Condition>> against;
  for (const auto& one : operators) {
    const auto condition = one->condition(upgradeable);
    if (condition && condition->is_false()) against.emplace_back(one->name(), *condition);
  }
  if (against.empty()) return std::nullopt;
  if (against.size() == 1) {
    const auto& [name, condition] = against.front();
    const std::string reason(condition.reason());
    return finding_of(
        reason.empty() ? default_reason : reason,
        std::string(one_operator) + name + std::string(of_operator) + std::string(condition.message()));
  }
  std::string message(several_operators);
  for (const auto& [name, condition] : against) {
    message += "\n* " + std::string(one_operator) + name + std::string(of_operator) +
               std::string(condition.reason()) + ": " + std::string(condition.message());
  }
  return finding_of(default_reason, std::move(message));
}

bool is_own(std::string_view message) {
  return message.starts_with(several_operators) || message.starts_with(several_reasons) ||
         message == overridden || (message.starts_with(one_operator) && message.contains(of_operator));
}

}  // namespace

std::optional<Finding> not_upgradeable(const openshift::ClusterVersion& cluster, ClusterOperators operators) {
  std::vector<Finding> findings;
  if (auto found = of_operators(std::move(operators))) findings.push_back(*std::move(found));
  const auto overrides = cluster.items("spec.overrides");
  if (std::ranges::any_of(overrides, [](const k8s::View& one) { return one.flag("unmanaged"); }))
    findings.push_back(finding_of("ClusterVersionOverridesSet", std::string(overridden)));
  if (findings.empty()) return std::nullopt;
  Finding all = findings.front();
  if (findings.size() > 1) {
    std::vector<std::string> reasons;
    std::string messages;
    for (const Finding& one : findings) {
      reasons.push_back(one.reason);
      messages += "\n* " + one.message;
    }
    all = finding_of("MultipleReasons", std::string(several_reasons) + join(reasons, ",") + messages);
  }
  all.reason = cut_text(all.reason, max_condition_reason);
  all.message = cut_text(all.message, max_condition_message);
  return all;
}

void write_upgradeable(openshift::ClusterVersion& cluster, const std::optional<Finding>& finding,
                       WallTime now) {
  if (finding) return set_condition(cluster, upgradeable, *finding, now);
  const auto before = cluster.condition(upgradeable);
  if (before && is_own(before->message())) remove_condition(cluster, upgradeable);
}

}  // namespace fairway::operators
