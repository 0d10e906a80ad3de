// What a request asks for, in the terms of authorization.
#pragma once

#include <string>
#include <string_view>

namespace fairway::apiserver::access {

/// What a request does to what. Kubernetes calls it RequestInfo.
struct Attributes {
  /// "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; of a path that is no
  /// resource the HTTP method in lower case.
  std::string verb;
  /// False: only `verb` and `path` are set.
  bool is_resource = false;
  /// The core group's name is empty.
  std::string group, version, resource, subresource;
  /// Empty for cluster-scoped resources and for requests over all namespaces. That of a Namespace is its
  /// name.
  std::string namespace_name;
  /// Empty for collections, unless a list or watch selects one object by `metadata.name`.
  std::string name;
  /// As received, without the query.
  std::string path;

  /// "pods", or with a subresource "pods/status".
  std::string combined_resource() const;
  /// What a 403 says after the object's name: `User "bob" cannot list resource "pods" in API group "" in the
  /// namespace "default"`, and `: REASON` if there is one.
  std::string refusal(std::string_view user, std::string_view reason = {}) const;
  friend bool operator==(const Attributes&, const Attributes&) = default;
};

}  // namespace fairway::apiserver::access
