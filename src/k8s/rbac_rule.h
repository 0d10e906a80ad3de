// SPDX-License-Identifier: Apache-2.0

// Rules of RBAC, as values: what may be done to what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::k8s {

/// An entry of `rules` of a Role or ClusterRole. As in Kubernetes, a rule is about resources or about paths
/// that are no resources; "*" stands for all.
struct RbacRule {
  std::vector<std::string> verbs, groups, resources, names, paths;

  /// Reads a rule. Members that are absent or of another type are empty, so that they allow less.
  static RbacRule from(const json::Value& document);
  /// Reads the member `rules` of a role.
  static std::vector<RbacRule> list_from(const json::Value& role);
  json::Value to_json() const;

  /// Returns whether it allows a verb on a resource, "pods" or "pods/status". `name` is that of the object;
  /// empty for a collection, which a rule with names does not allow.
  bool allows_resource(std::string_view verb, std::string_view group, std::string_view resource,
                       std::string_view name) const;
  /// Returns whether it allows a verb on a path that is no resource.
  bool allows_path(std::string_view verb, std::string_view path) const;
  /// The rule as errors show it: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}`.
  std::string to_string() const;
  friend bool operator==(const RbacRule&, const RbacRule&) = default;
};

}  // namespace fairway::k8s
