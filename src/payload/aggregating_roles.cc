// SPDX-License-Identifier: Apache-2.0

#include "payload/aggregating_roles.h"

#include "k8s/kinds/rbac.h"

namespace fairway::payload {

AggregatingRoles::AggregatingRoles(const std::map<ObjectId, Manifest>& applied) {
  for (const auto& [id, manifest] : applied) {
    if (id.kind != "ClusterRole" || id.group != k8s::Role::resource.group) continue;
    for (const k8s::View& entry : manifest.object.items("aggregationRule.clusterRoleSelectors")) {
      const json::Value document(entry.json());
      if (auto selector = k8s::LabelSelector::from(&document))
        selectors_.emplace_back(id.name, *std::move(selector));
    }
  }
}

std::optional<std::set<std::string>> AggregatingRoles::find(const k8s::Dynamic& role,
                                                            k8s::ComparisonBudget& budget) const {
  std::set<std::string> names;
  for (const auto& [name, selector] : selectors_) {
    const std::size_t steps = 1 + selector.requirements().size();
    if (steps > budget.steps) return std::nullopt;
    budget.steps -= steps;
    if (name != role.name() && selector.matches(role.labels())) names.insert(name);
  }
  return names;
}

}  // namespace fairway::payload
