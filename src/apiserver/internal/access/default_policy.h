// The roles and bindings that every cluster has.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/json.h"

namespace fairway::apiserver::access {

/// As kube-apiserver 1.36 makes them at its start: ClusterRoles, Roles, ClusterRoleBindings and RoleBindings,
/// without what the server adds to each object (uid, creationTimestamp). They carry the label and annotation
/// by which Kubernetes knows that it may update them.
std::vector<json::Value> default_policy();

/// What a start has to change in an object of the default policy, so that an upgrade of the server adds the
/// rights that its parts need: rules and subjects that are missing are added, others stay. std::nullopt:
/// nothing, because all is there, or because somebody has set the annotation
/// `rbac.authorization.kubernetes.io/autoupdate` to something else than "true".
std::optional<json::Value> reconciled(const json::Value& stored, const json::Value& wanted);

/// The rules of a ClusterRole with an `aggregationRule`: those of all `roles` that one of its selectors
/// matches, in the order of their names and each once. A selector that cannot be read matches nothing.
json::Array aggregated_rules(const json::Value& role, const std::vector<json::Value>& roles);

/// Gives all `roles` with an `aggregationRule` the rules of the others, until nothing changes any more (a
/// role may be made of one that is made of others; a few rounds, for those that are made of each other).
/// Those that it has changed.
std::vector<std::size_t> aggregate(std::vector<json::Value>& roles);

}  // namespace fairway::apiserver::access
