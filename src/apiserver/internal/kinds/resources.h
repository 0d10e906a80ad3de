// SPDX-License-Identifier: Apache-2.0

// The resources of Kubernetes's built-in kinds, as kube-apiserver serves them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "k8s/group_version.h"

namespace fairway::apiserver::kinds {

struct BuiltInSubresource {
  /// Name of the subresource: "status".
  std::string name;
  /// Kind of the request's and the reply's object: that of the resource, autoscaling/v1 Scale, policy/v1
  /// Eviction, ...
  k8s::GroupVersionKind kind;
  std::vector<std::string> verbs;
};

struct BuiltInResource {
  k8s::GroupVersionKind kind;
  std::string plural, singular;
  /// Kind of a list: "DeploymentList".
  std::string list_kind;
  k8s::Scope scope = k8s::Scope::namespaced;
  std::vector<std::string> verbs, short_names, categories;
  /// Hash in discovery; empty for resources that are not stored (reviews, bindings).
  std::string storage_version_hash;
  std::vector<BuiltInSubresource> subresources;
  /// Resource and version in which its objects are stored: usually the resource itself. Events of both groups
  /// are those of the core group; autoscaling/v1 is a view of autoscaling/v2.
  k8s::GroupVersionResource storage;

  k8s::GroupVersionResource resource() const { return {kind.group, kind.version, plural}; }
  bool is_namespaced() const { return scope == k8s::Scope::namespaced; }
  /// Finds a subresource; nullptr: there is none.
  const BuiltInSubresource* subresource(std::string_view name) const;
};

/// Returns all built-in resources: groups in the order of discovery (the core group first), in each group the
/// preferred version first. The subresources by which a real server talks to a kubelet (exec, logs, proxies)
/// are included.
const std::vector<BuiltInResource>& built_in_resources();

/// Finds a resource; nullptr: there is none.
const BuiltInResource* find_built_in(const k8s::GroupVersionResource& resource);
const BuiltInResource* find_built_in(const k8s::GroupVersionKind& kind);

}  // namespace fairway::apiserver::kinds
