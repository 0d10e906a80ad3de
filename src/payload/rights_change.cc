// SPDX-License-Identifier: Apache-2.0

#include "payload/rights_change.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "k8s/kinds/rbac.h"

namespace fairway::payload {

namespace {

constexpr std::string_view aggregate_prefix = "rbac.authorization.k8s.io/aggregate-to-";

bool is_rbac(const k8s::Dynamic& object, std::string_view kind) {
  return object.kind() == kind && object.group_version_kind().group == k8s::Role::resource.group;
}

template <class T>
std::vector<T> beyond(const std::set<T>& wanted, const std::set<T>& owned) {
  std::vector<T> left;
  std::ranges::set_difference(wanted, owned, std::back_inserter(left));
  return left;
}

/// Adds the roles that take in a role's rules by the labels of Kubernetes' own roles.
void add_by_label(std::set<std::string>& names, const k8s::Dynamic& role) {
  for (const auto& [key, value] : role.labels()) {
    if (key.starts_with(aggregate_prefix) && value == "true")
      names.emplace(key.substr(aggregate_prefix.size()));
  }
}

/// Adds to `grown` the roles that take in a role's rules and did not, or, where the budget is spent, its
/// rules as ones that were not compared.
void add_aggregated_to(GrownRights& grown, const k8s::Dynamic* before, const k8s::Dynamic& after,
                       RightsContext& context) {
  const auto old = before == nullptr ? std::optional<std::set<std::string>>(std::in_place)
                                     : context.before.find(*before, context.budget);
  const auto now = context.after.find(after, context.budget);
  if (!old || !now) {
    grown.not_compared = k8s::RbacRule::list_from(json::Value(after.json()));
    return;
  }
  std::set<std::string> all_old = *old, all_now = *now;
  if (before != nullptr) add_by_label(all_old, *before);
  add_by_label(all_now, after);
  grown.aggregated_to = beyond(all_now, all_old);
}

std::set<std::string> selectors_of(const k8s::Dynamic& role) {
  std::set<std::string> selectors;
  for (const k8s::View& selector : role.items("aggregationRule.clusterRoleSelectors"))
    selectors.insert(json::to_text(selector.json()));
  return selectors;
}

std::string role_of(const k8s::Dynamic& binding) {
  return to_lower(binding.text("roleRef.kind")) + " \"" + std::string(binding.text("roleRef.name")) + "\"";
}

std::set<BoundSubject> subjects_of(const k8s::Dynamic& binding) {
  std::set<BoundSubject> subjects;
  for (const k8s::View& subject : binding.items("subjects"))
    subjects.insert(BoundSubject::of(subject.json()));
  return subjects;
}

}  // namespace

BoundSubject BoundSubject::of(const json::Object& subject) {
  const k8s::View view(subject);
  return {std::string(view.text("kind")), std::string(view.text("namespace")),
          std::string(view.text("name"))};
}

std::string BoundSubject::to_string() const {
  return to_lower(kind) + " \"" + (namespace_name.empty() ? name : namespace_name + "/" + name) + "\"";
}

std::optional<GrownRights> find_grown_rights(const k8s::Dynamic* before, const k8s::Dynamic& after,
                                             RightsContext& context) {
  GrownRights grown{.object = ObjectId::of(after)};
  const k8s::Dynamic none;
  const k8s::Dynamic& old = before == nullptr ? none : *before;
  if (is_rbac(after, "Role") || is_rbac(after, "ClusterRole")) {
    k8s::RuleComparison found =
        k8s::compare_rules(k8s::RbacRule::list_from(json::Value(old.json())),
                           k8s::RbacRule::list_from(json::Value(after.json())), context.budget);
    grown.rules = std::move(found.missing);
    grown.not_compared = std::move(found.not_compared);
    if (after.kind() == "ClusterRole") {
      add_aggregated_to(grown, before, after, context);
      grown.aggregates = beyond(selectors_of(after), selectors_of(old));
    }
  } else if (is_rbac(after, "RoleBinding") || is_rbac(after, "ClusterRoleBinding")) {
    grown.role = role_of(after);
    const bool same_role = before != nullptr && role_of(old) == grown.role;
    grown.subjects = beyond(subjects_of(after), same_role ? subjects_of(old) : std::set<BoundSubject>());
  }
  if (grown.empty()) return std::nullopt;
  return grown;
}

}  // namespace fairway::payload
