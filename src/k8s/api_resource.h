// SPDX-License-Identifier: Apache-2.0

// A kind that is known only at run time, and the resource that serves it.
#pragma once

#include <string>
#include <string_view>

#include "k8s/group_version.h"
#include "k8s/object.h"

namespace fairway::k8s {

/// The kind, resource and scope of a kind that has no typed view, as `Resource` declares them for one that
/// has: client-go's RESTMapping, kube-rs's ApiResource. `kube::ResourceMapper` finds it by kind or name.
struct ApiResource {
  GroupVersionKind kind = {};
  /// Plural name of the resource: "deployments".
  std::string plural = {};
  Scope scope = Scope::namespaced;

  ApiResource() = default;
  ApiResource(GroupVersionKind kind_of_objects, std::string plural_name, Scope scope_of_objects)
      : kind(std::move(kind_of_objects)), plural(std::move(plural_name)), scope(scope_of_objects) {}
  ApiResource(const Resource& resource)  // NOLINT(google-explicit-constructor): the same, at run time
      : ApiResource(resource.group_version_kind(), std::string(resource.plural), resource.scope) {}

  bool is_namespaced() const { return scope == Scope::namespaced; }
  GroupVersionResource group_version_resource() const { return {kind.group, kind.version, plural}; }
  /// Returns the declaration as views of this object's strings; this must outlive it.
  Resource view() const { return {kind.group, kind.version, kind.kind, plural, scope}; }
  friend bool operator==(const ApiResource&, const ApiResource&) = default;
};

/// Returns a new object with apiVersion, kind and name. Pass no namespace for cluster-scoped kinds.
Dynamic make(const ApiResource& resource, std::string_view name, std::string_view namespace_name = {});

}  // namespace fairway::k8s
