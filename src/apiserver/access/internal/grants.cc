#include "apiserver/access/internal/grants.h"

#include <string_view>
#include <vector>

#include "k8s/equality.h"

namespace fairway::apiserver::access {

namespace {

constexpr std::string_view group = "rbac.authorization.k8s.io";

bool is_unchanged(const k8s::Dynamic& object, const k8s::Dynamic* old, std::string_view member) {
  if (old == nullptr) return false;
  return k8s::equal_with_null_as_absent(object.find(member), old->find(member));
}

bool may(const Policy& policy, const User& user, std::string_view verb, std::string_view resource,
         std::string_view namespace_name, std::string_view name) {
  return policy
      .decide(user, {.verb = std::string(verb),
                     .is_resource = true,
                     .group = std::string(group),
                     .version = "v1",
                     .resource = std::string(resource),
                     .namespace_name = std::string(namespace_name),
                     .name = std::string(name)})
      .allowed;
}

std::string role_error(const Policy& policy, const User& user, const k8s::Dynamic& role,
                       const k8s::Dynamic* old) {
  const bool is_cluster_role = role.kind() == "ClusterRole";
  const std::string_view namespace_name = is_cluster_role ? "" : role.namespace_name();
  if (may(policy, user, "escalate", is_cluster_role ? "clusterroles" : "roles", namespace_name,
          role.name())) {
    return {};
  }
  if (role.has("aggregationRule") && !is_unchanged(role, old, "aggregationRule")) {
    // It takes the rules of any role that somebody else labels.
    const std::vector<Rule> everything = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}},
                                          {.verbs = {"*"}, .paths = {"*"}}};
    if (!escalation_error(policy, user, "", everything).empty()) {
      return "must have cluster-admin privileges to use the aggregationRule";
    }
  }
  if (is_unchanged(role, old, "rules")) return {};
  return escalation_error(policy, user, namespace_name, Rule::list_from(json::Value(role.json())));
}

std::string binding_error(const Policy& policy, const User& user, const k8s::Dynamic& binding,
                          const k8s::Dynamic* old) {
  if (is_unchanged(binding, old, "roleRef") && is_unchanged(binding, old, "subjects")) return {};
  const std::string_view namespace_name = binding.kind() == "RoleBinding" ? binding.namespace_name() : "";
  const std::string_view kind = binding.text("roleRef.kind"), name = binding.text("roleRef.name");
  if (may(policy, user, "bind", kind == "ClusterRole" ? "clusterroles" : "roles", namespace_name, name)) {
    return {};
  }
  const std::vector<Rule>* rules = policy.find_role(kind, namespace_name, name);
  if (rules == nullptr) {
    // A role that comes later could be anything.
    return user.is_in(masters_group) ? std::string()
                                     : "the role " + std::string(kind) + " " + std::string(name) +
                                           " does not exist, so nobody can hold its rights";
  }
  return escalation_error(policy, user, namespace_name, *rules);
}

}  // namespace

std::string grant_error(const Policy& policy, const User& user, const k8s::Dynamic& object,
                        const k8s::Dynamic* old) {
  if (object.group_version_kind().group != group) return {};
  const std::string_view kind = object.kind();
  if (kind == "Role" || kind == "ClusterRole") return role_error(policy, user, object, old);
  if (kind == "RoleBinding" || kind == "ClusterRoleBinding") return binding_error(policy, user, object, old);
  return {};
}

}  // namespace fairway::apiserver::access
