// The resources of Kubernetes's built-in kinds, as kube-apiserver serves them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "k8s/group_version.h"

namespace fairway::apiserver {

struct BuiltInSubresource {
  /// "status".
  std::string name;
  /// What is sent and answered: that of the resource, autoscaling/v1 Scale, policy/v1 Eviction, ...
  k8s::GroupVersionKind kind;
  std::vector<std::string> verbs;
};

struct BuiltInResource {
  k8s::GroupVersionKind kind;
  std::string plural, singular;
  /// "DeploymentList".
  std::string list_kind;
  k8s::Scope scope = k8s::Scope::namespaced;
  std::vector<std::string> verbs, short_names, categories;
  /// Of discovery; empty for what is not stored (reviews, bindings).
  std::string storage_version_hash;
  std::vector<BuiltInSubresource> subresources;
  /// Where and in which version its objects are stored: usually the resource itself. Events of both groups
  /// are those of the core group, autoscaling/v1 is a view of autoscaling/v2.
  k8s::GroupVersionResource storage;

  k8s::GroupVersionResource resource() const { return {kind.group, kind.version, plural}; }
  bool is_namespaced() const { return scope == k8s::Scope::namespaced; }
  /// nullptr: there is none.
  const BuiltInSubresource* subresource(std::string_view name) const;
};

/// All of them: groups in the order of discovery (the core group first), of each group the preferred version
/// first. What a real server offers to talk to a kubelet (exec, logs, proxies) is among the subresources.
const std::vector<BuiltInResource>& built_in_resources();

/// nullptr: there is none.
const BuiltInResource* find_built_in(const k8s::GroupVersionResource& resource);
const BuiltInResource* find_built_in(const k8s::GroupVersionKind& kind);

}  // namespace fairway::apiserver
