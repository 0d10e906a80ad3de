// SPDX-License-Identifier: Apache-2.0

// A judge of rights by roles and bindings: it decides from their JSON alone, by the words of Kubernetes's
// documentation of RBAC, without the server's own code.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::apiserver::testing {

/// A request that a user would make.
struct Wish {
  std::string user;
  std::vector<std::string> groups;
  std::string verb, group, resource, subresource, namespace_name, name;
};

/// A role as the judge sees it: in a namespace, or in none.
struct JudgedRole {
  std::string namespace_name, name;
  json::Array rules;
};
struct JudgedBinding {
  std::string namespace_name;
  bool to_cluster_role = true;
  std::string role;
  json::Array subjects;
};

class AccessJudge {
 public:
  std::vector<JudgedRole> roles;
  std::vector<JudgedBinding> bindings;

  bool allows(const Wish& wish) const {
    return std::ranges::any_of(bindings, [&](const JudgedBinding& binding) {
      if (!binding.namespace_name.empty() && binding.namespace_name != wish.namespace_name) return false;
      if (!binds(binding, wish)) return false;
      const std::string in = binding.to_cluster_role ? std::string() : binding.namespace_name;
      return std::ranges::any_of(roles, [&](const JudgedRole& role) {
        return role.name == binding.role && role.namespace_name == in &&
               std::ranges::any_of(role.rules, [&](const json::Value& rule) { return covers(rule, wish); });
      });
    });
  }

 private:
  static bool binds(const JudgedBinding& binding, const Wish& wish) {
    return std::ranges::any_of(binding.subjects, [&](const json::Value& subject) {
      const std::string kind(subject.at("kind").as_string()), name(subject.at("name").as_string());
      if (kind == "User") return name == wish.user;
      if (kind == "Group") return std::ranges::find(wish.groups, name) != wish.groups.end();
      const std::string account =
          "system:serviceaccount:" + std::string(subject.at("namespace").as_string()) + ":" + name;
      return account == wish.user;
    });
  }
  static bool has(const json::Value& rule, std::string_view list, std::string_view wanted) {
    const json::Value* values = json::find(rule, list);
    return values != nullptr && std::ranges::any_of(values->as_array(), [&](const json::Value& one) {
             return std::string_view(one.as_string()) == wanted;
           });
  }
  static bool covers(const json::Value& rule, const Wish& wish) {
    const std::string whole =
        wish.subresource.empty() ? wish.resource : wish.resource + "/" + wish.subresource;
    const bool verb = has(rule, "verbs", wish.verb) || has(rule, "verbs", "*");
    const bool group = has(rule, "apiGroups", wish.group) || has(rule, "apiGroups", "*");
    const bool resource = has(rule, "resources", whole) || has(rule, "resources", "*") ||
                          (!wish.subresource.empty() && has(rule, "resources", "*/" + wish.subresource));
    const json::Value* names = json::find(rule, "resourceNames");
    const bool name = names == nullptr || names->as_array().empty() || has(rule, "resourceNames", wish.name);
    return verb && group && resource && name;
  }
};

}  // namespace fairway::apiserver::testing
