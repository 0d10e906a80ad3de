// SPDX-License-Identifier: Apache-2.0

// The attributes of a request that authorization decides on: verb, resource, namespace, name.
#pragma once

#include <string>
#include <string_view>

namespace fairway::apiserver::access {

/// The verb of a request and its target. Kubernetes calls this RequestInfo.
struct Attributes {
  /// Verb of the request: "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection";
  /// the HTTP method in lower case for a path that is no resource.
  std::string verb;
  /// True for a resource; false: only `verb` and `path` are set.
  bool is_resource = false;
  /// The core group's name is empty.
  std::string group, version, resource, subresource;
  /// The namespace; empty for cluster-scoped resources and for requests over all namespaces. For a Namespace
  /// it is its name.
  std::string namespace_name;
  /// The name of the object; empty for collections, unless a list or watch selects one object by
  /// `metadata.name`.
  std::string name;
  /// The path as received, without the query.
  std::string path;

  /// Returns "pods", or with a subresource "pods/status".
  std::string combined_resource() const;
  /// Returns the text of a 403 after the object's name: `User "bob" cannot list resource "pods" in API group
  /// "" in the namespace "default"`, followed by `: REASON` if there is one.
  std::string refusal(std::string_view user, std::string_view reason = {}) const;
  friend bool operator==(const Attributes&, const Attributes&) = default;
};

}  // namespace fairway::apiserver::access
