// SPDX-License-Identifier: Apache-2.0

// The roles and bindings that every cluster has.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/json.h"

namespace fairway::apiserver::access {

/// Returns the ClusterRoles, Roles, ClusterRoleBindings and RoleBindings that kube-apiserver 1.37 creates at
/// its start, without the fields that the server adds to each object (uid, creationTimestamp). They carry the
/// label and annotation by which Kubernetes knows that it may update them.
std::vector<json::Value> default_policy();

/// Returns an object of the default policy with the rules and subjects that it lacks, so that an upgrade of
/// the server adds the rights that its parts need. Further ones stay. std::nullopt: nothing is missing, or
/// somebody has set the annotation `rbac.authorization.kubernetes.io/autoupdate` to something else than
/// "true".
std::optional<json::Value> reconciled(const json::Value& stored, const json::Value& wanted);

/// Returns the rules of a ClusterRole with an `aggregationRule`: those of all other `roles` that one of its
/// selectors matches, in the order of the roles' names and each once. A selector that cannot be read matches
/// nothing.
json::Array aggregated_rules(const json::Value& role, const std::vector<json::Value>& roles);

/// Gives all `roles` with an `aggregationRule` the rules of the others, until nothing changes any more: a
/// role may aggregate roles that aggregate others. Roles that aggregate each other get a few rounds. Returns
/// the indexes of the changed roles.
std::vector<std::size_t> aggregate(std::vector<json::Value>& roles);

}  // namespace fairway::apiserver::access
