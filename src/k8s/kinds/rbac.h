// SPDX-License-Identifier: Apache-2.0

// ServiceAccounts, and what they may do.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "k8s/internal/kinds/openapi_core.h"
#include "k8s/internal/kinds/openapi_rbac.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

class ServiceAccount : public Checked<Dynamic, openapi::service_account> {
 public:
  static constexpr Resource resource{"", "v1", "ServiceAccount", "serviceaccounts"};
  using Checked::Checked;

  /// Returns the flag; std::nullopt: not set, which means true unless the Pod says otherwise.
  std::optional<bool> automount_token() const { return find_flag("automountServiceAccountToken"); }
  void set_automount_token(bool automount) { set("automountServiceAccountToken", automount); }
};

/// An entry of `rules`.
class PolicyRule : public Checked<View, openapi::policy_rule> {
 public:
  using Checked::Checked;
  std::vector<std::string_view> verbs() const { return texts("verbs"); }
  std::vector<std::string_view> api_groups() const { return texts("apiGroups"); }
  std::vector<std::string_view> resources() const { return texts("resources"); }
  /// Names of the objects; empty: all objects.
  std::vector<std::string_view> resource_names() const { return texts("resourceNames"); }
  std::vector<std::string_view> non_resource_urls() const { return texts("nonResourceURLs"); }
};

class Role : public Checked<Dynamic, openapi::role> {
 public:
  static constexpr Resource resource{"rbac.authorization.k8s.io", "v1", "Role", "roles"};
  using Checked::Checked;
  std::vector<PolicyRule> rules() const { return items<PolicyRule>("rules"); }
  /// Sets a list of PolicyRules.
  void set_rules(json::Array rules) { set_json("rules", std::move(rules)); }
};

class ClusterRole : public Checked<Dynamic, openapi::cluster_role> {
 public:
  static constexpr Resource resource{"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles",
                                     Scope::cluster};
  using Checked::Checked;
  std::vector<PolicyRule> rules() const { return items<PolicyRule>("rules"); }
  /// Sets a list of PolicyRules. The server overwrites the rules of an aggregated role.
  void set_rules(json::Array rules) { set_json("rules", std::move(rules)); }
  bool is_aggregated() const { return has("aggregationRule"); }
};

/// An entry of `subjects`.
class Subject : public Checked<View, openapi::subject> {
 public:
  using Checked::Checked;
  /// "ServiceAccount", "User" or "Group".
  std::string_view kind() const { return text("kind"); }
  std::string_view name() const { return text("name"); }
  /// Namespace of a ServiceAccount.
  std::string_view namespace_name() const { return text("namespace"); }
};

/// An editor of an entry of `subjects`.
class SubjectEditor : public Checked<Editor, openapi::subject> {
 public:
  using Checked::Checked;
};

/// The common part of RoleBindings and ClusterRoleBindings.
template <const openapi::Definition& definition>
class Binding : public Checked<Dynamic, definition> {
 public:
  using Checked<Dynamic, definition>::Checked;

  /// "Role" or "ClusterRole".
  std::string_view role_kind() const { return this->text("roleRef.kind"); }
  std::string_view role_name() const { return this->text("roleRef.name"); }
  /// Sets the role. The server refuses to change it: delete the binding first.
  void set_role(std::string_view kind, std::string_view name) {
    this->set("roleRef.apiGroup", Role::resource.group);
    this->set("roleRef.kind", kind);
    this->set("roleRef.name", name);
  }
  std::vector<Subject> subjects() const { return this->template items<Subject>("subjects"); }
  void add_service_account(std::string_view namespace_name, std::string_view name) {
    auto subject = this->template append<SubjectEditor>("subjects");
    subject.set("kind", "ServiceAccount");
    subject.set("name", name);
    subject.set("namespace", namespace_name);
  }
};

class RoleBinding : public Binding<openapi::role_binding> {
 public:
  static constexpr Resource resource{"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"};
  using Binding::Binding;
};

class ClusterRoleBinding : public Binding<openapi::cluster_role_binding> {
 public:
  static constexpr Resource resource{"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding",
                                     "clusterrolebindings", Scope::cluster};
  using Binding::Binding;
};

}  // namespace fairway::k8s
