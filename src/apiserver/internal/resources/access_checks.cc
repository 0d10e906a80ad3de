// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/access_checks.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "apiserver/internal/resources/same_value.h"
#include "apiserver/internal/validation/check_selector.h"
#include "k8s/label_selector.h"
#include "k8s/names.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;
using k8s::View;
using Errors = std::vector<FieldError>;

constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";

std::string at(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

void check_rule(Errors& errors, const View& rule, const std::string& path, bool is_namespaced) {
  const auto has = [&](std::string_view list) { return !rule.texts(list).empty(); };
  if (has("nonResourceURLs")) {
    const std::string field = path + ".nonResourceURLs";
    const json::Value urls = value_at(rule, "nonResourceURLs");
    if (is_namespaced) {
      errors.push_back(
          FieldError::invalid(field, urls, "namespaced rules cannot apply to non-resource URLs"));
    }
    if (has("apiGroups") || has("resources") || has("resourceNames")) {
      errors.push_back(FieldError::invalid(
          field, urls, "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return;
  }
  if (!has("apiGroups")) {
    errors.push_back(
        FieldError::required(path + ".apiGroups", "resource rules must supply at least one api group"));
  }
  if (!has("resources")) {
    errors.push_back(
        FieldError::required(path + ".resources", "resource rules must supply at least one resource"));
  }
}

Errors check_rules(const Dynamic& role, bool is_namespaced) {
  Errors errors;
  std::size_t index = 0;
  for (const View& rule : role.items("rules")) check_rule(errors, rule, at("rules", index++), is_namespaced);
  // A rule that is declared in the Go type: its errors follow the others.
  index = 0;
  for (const View& rule : role.items("rules")) {
    if (rule.texts("verbs").empty())
      errors.push_back(FieldError::required(at("rules", index) + ".verbs", ""));
    ++index;
  }
  return errors;
}

void check_subject(Errors& errors, const View& subject, const std::string& path, bool is_namespaced) {
  const std::string_view kind = subject.text("kind"), name = subject.text("name"),
                         group = subject.text("apiGroup");
  if (name.empty()) errors.push_back(FieldError::required(path + ".name", ""));
  const auto check_group = [&](std::string_view wanted) {
    if (group != wanted)
      errors.push_back(FieldError::not_supported(path + ".apiGroup", json::Value(group), {wanted}));
  };
  if (kind == "User" || kind == "Group") {
    check_group(rbac_group);
  } else if (kind == "ServiceAccount") {
    if (!name.empty()) {
      for (const std::string& fault : k8s::check_dns_subdomain(name))
        errors.push_back(FieldError::invalid(path + ".name", json::Value(name), fault));
    }
    check_group("");
    if (!is_namespaced && subject.text("namespace").empty())
      errors.push_back(FieldError::required(path + ".namespace", ""));
  } else {
    errors.push_back(
        FieldError::not_supported(path + ".kind", json::Value(kind), {"ServiceAccount", "User", "Group"}));
  }
}

Errors check_binding(const Dynamic& binding, const Dynamic* old, bool is_namespaced) {
  Errors errors;
  const std::string_view group = binding.text("roleRef.apiGroup"), kind = binding.text("roleRef.kind"),
                         name = binding.text("roleRef.name");
  if (group != rbac_group)
    errors.push_back(FieldError::not_supported("roleRef.apiGroup", json::Value(group), {rbac_group}));
  std::vector<std::string_view> kinds{"ClusterRole"};
  if (is_namespaced) kinds.insert(kinds.begin(), "Role");
  if (std::ranges::find(kinds, kind) == kinds.end())
    errors.push_back(FieldError::not_supported("roleRef.kind", json::Value(kind), kinds));
  if (name.empty()) {
    errors.push_back(FieldError::required("roleRef.name", ""));
  } else {
    for (const std::string& fault : k8s::check_path_segment(name))
      errors.push_back(FieldError::invalid("roleRef.name", json::Value(name), fault));
  }
  std::size_t index = 0;
  for (const View& subject : binding.items("subjects"))
    check_subject(errors, subject, at("subjects", index++), is_namespaced);
  if (old == nullptr) return errors;
  const bool is_same = std::ranges::all_of(
      std::initializer_list<std::string_view>{"roleRef.apiGroup", "roleRef.kind", "roleRef.name"},
      [&](std::string_view field) {
        const std::string_view otherwise = field == "roleRef.apiGroup" ? rbac_group : "";
        const auto text = [&](const Dynamic& one) {
          const std::string_view value = one.text(field);
          return value.empty() ? otherwise : value;
        };
        return text(binding) == text(*old);
      });
  if (!is_same)
    errors.push_back(FieldError::invalid("roleRef", value_at(binding, "roleRef"), "field is immutable"));
  return errors;
}

}  // namespace

Errors check_role(const Dynamic& role, const Dynamic* /*old*/) {
  return check_rules(role, true);
}

Errors check_cluster_role(const Dynamic& role, const Dynamic* /*old*/) {
  Errors errors = check_rules(role, false);
  if (!role.has("aggregationRule")) return errors;
  constexpr std::string_view path = "aggregationRule.clusterRoleSelectors";
  const auto selectors = role.items(path);
  if (selectors.empty()) {
    errors.push_back(FieldError::required(
        path, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
  }
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    for (FieldError& error : validation::check_selector(selectors[i], at(path, i), true))
      errors.push_back(std::move(error));
    const json::Value selector(selectors[i].json());
    if (!k8s::LabelSelector::from(&selector))
      errors.push_back(FieldError::invalid(at(path, i), json::Value(), "invalid label selector."));
  }
  return errors;
}

Errors check_role_binding(const Dynamic& binding, const Dynamic* old) {
  return check_binding(binding, old, true);
}

Errors check_cluster_role_binding(const Dynamic& binding, const Dynamic* old) {
  return check_binding(binding, old, false);
}

}  // namespace fairway::apiserver::resources
