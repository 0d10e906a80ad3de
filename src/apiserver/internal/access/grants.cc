// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/grants.h"

#include <string>
#include <vector>

#include "base/quoted_text.h"
#include "k8s/equality.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::access {

namespace {

constexpr std::string_view group = "rbac.authorization.k8s.io";

/// Returns whether a write changes only the fields that the garbage collector and the server itself change.
/// Other labels, for example, let a role take part in an aggregation.
bool changes_only_collected_fields(const k8s::Dynamic& object, const k8s::Dynamic* old) {
  if (old == nullptr) return false;
  k8s::Dynamic sent = object, stored = *old;
  for (k8s::Dynamic* one : {&sent, &stored}) {
    for (const char* field : {"ownerReferences", "finalizers", "selfLink", "managedFields"})
      one->erase(std::string("metadata.") + field);
  }
  return k8s::equal_with_null_as_absent(json::Value(sent.json()), json::Value(stored.json()));
}

/// A role, as a right to escalate or bind it names it.
struct RoleName {
  std::string_view group, resource, namespace_name, name;
};

bool may(const Policy& policy, const User& user, std::string_view verb, const RoleName& role) {
  return policy
      .decide(user, {.verb = std::string(verb),
                     .is_resource = true,
                     .group = std::string(role.group),
                     .version = "*",
                     .resource = std::string(role.resource),
                     .namespace_name = std::string(role.namespace_name),
                     .name = std::string(role.name)})
      .allowed;
}

bool is_aggregated(const k8s::Dynamic& role) {
  return !role.items("aggregationRule.clusterRoleSelectors").empty();
}

std::unexpected<k8s::Status> refuse(const GrantWrite& write, std::string_view why) {
  return std::unexpected(k8s::answer::forbidden(write.resource, write.object.name(), why));
}

k8s::StatusResult<void> check_role(const Policy& policy, const User& user, const GrantWrite& write) {
  const k8s::Dynamic& role = write.object;
  const bool is_cluster_role = role.kind() == "ClusterRole";
  const std::string_view namespace_name = is_cluster_role ? "" : role.namespace_name();
  // A create by POST names nothing: a right to escalate one role by its name does not count there.
  const RoleName asked{group, write.resource.resource, namespace_name, write.request_name};
  if (may(policy, user, "escalate", asked)) return {};
  if (changes_only_collected_fields(role, write.old)) return {};
  const std::string error =
      escalation_error(policy, user, namespace_name, Rule::list_from(json::Value(role.json())));
  if (!error.empty()) return refuse(write, error);
  if (is_cluster_role && (is_aggregated(role) || (write.old != nullptr && is_aggregated(*write.old)))) {
    // It takes the rules of any role that somebody labels, or had been kept from rules of its own.
    const std::vector<Rule> everything = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}},
                                          {.verbs = {"*"}, .paths = {"*"}}};
    if (!escalation_error(policy, user, "", everything).empty())
      return refuse(write, "must have cluster-admin privileges to use the aggregationRule");
  }
  return {};
}

k8s::StatusResult<void> check_binding(const Policy& policy, const User& user, const GrantWrite& write) {
  const k8s::Dynamic& binding = write.object;
  if (user.is_in(masters_group) || changes_only_collected_fields(binding, write.old)) return {};
  const std::string_view namespace_name = binding.kind() == "RoleBinding" ? binding.namespace_name() : "";
  const std::string_view kind = binding.text("roleRef.kind"), name = binding.text("roleRef.name");
  const bool of_cluster = kind == "ClusterRole";
  if (!of_cluster && kind != "Role") {
    return std::unexpected(k8s::Status::of(
        {.message = "unsupported role reference kind: " + quote(kind), .reason = {}, .code = 500}));
  }
  const std::string resource = of_cluster ? "clusterroles" : "roles";
  if (may(policy, user, "bind", {binding.text("roleRef.apiGroup"), resource, namespace_name, name}))
    return {};
  const std::vector<Rule>* rules = policy.find_role(kind, namespace_name, name);
  // Nobody can hold the rights of a role that comes later.
  if (rules == nullptr) return std::unexpected(k8s::answer::not_found({std::string(group), resource}, name));
  const std::string error = escalation_error(policy, user, namespace_name, *rules);
  if (!error.empty()) return refuse(write, error);
  return {};
}

}  // namespace

k8s::StatusResult<void> check_grant(const Policy& policy, const User& user, const GrantWrite& write) {
  if (write.object.group_version_kind().group != group) return {};
  const std::string_view kind = write.object.kind();
  if (kind == "Role" || kind == "ClusterRole") return check_role(policy, user, write);
  if (kind == "RoleBinding" || kind == "ClusterRoleBinding") return check_binding(policy, user, write);
  return {};
}

}  // namespace fairway::apiserver::access
