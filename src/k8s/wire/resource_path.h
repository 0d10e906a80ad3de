// Where an API server serves what: paths of resources and of what leads to them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "k8s/group_version.h"
#include "k8s/status.h"

namespace fairway::k8s {

/// What a path below the server's URL names, decoded.
///
/// "/api/v1/namespaces/a/pods/b/log" is the subresource "log" of the pod "b" in the namespace "a". A
/// Namespace itself is an object of the whole cluster: "/api/v1/namespaces/a" has the resource "namespaces",
/// the name "a", and no namespace. Of what stands behind a Namespace's name, "status" and "finalize" are its
/// subresources, and everything else is a resource in that namespace; Kubernetes reads it so for every group.
struct ResourcePath {
  GroupVersionResource resource;
  /// Empty for kinds of the whole cluster, and for lists of all namespaces.
  std::string namespace_name;
  /// Empty: the collection.
  std::string name;
  /// "status", "scale", "log"; empty: the object itself.
  std::string subresource;
  /// What stands behind a subresource, without the slash: "a/b" of
  /// "/api/v1/namespaces/n/services/s/proxy/a/b".
  std::string rest;

  /// Whether each part may stand in a path, and the path would be read as the same. Errors (`invalid`) name
  /// the part: what is empty and must not be, is "." or "..", has a slash, a percent sign or a control
  /// character, is not UTF-8, or is longer than any name; a name or rest without what it belongs to; a
  /// resource that would be read as something else ("watch", and "status" in a namespace).
  Result<void> check() const;
  /// The path, encoded. What `check` refuses gives a path of something else.
  std::string to_string() const;
  /// The namespace that access is decided for: also of a Namespace itself, which is its own.
  std::string_view access_namespace() const;
  friend bool operator==(const ResourcePath&, const ResourcePath&) = default;
};

/// Any path of the API.
struct ApiPath {
  enum class Kind {
    other,          ///< not below /api and /apis: "/version", "/openapi/v3"
    core_versions,  ///< "/api"
    groups,         ///< "/apis"
    group,          ///< "/apis/apps": `resource.resource.group` is set
    group_version,  ///< "/apis/apps/v1", "/api/v1": group and version are set
    resource,
  };
  Kind kind = Kind::other;
  ResourcePath resource;

  /// `path` is encoded and has no query; one slash at its end changes nothing. Errors (400), none of which
  /// concern paths that are not below /api and /apis: parts as in `ResourcePath::check`, encoded slashes
  /// among them, broken escapes, and the prefixes "watch" and "proxy", of which Kubernetes only keeps the
  /// first for old clients.
  static StatusResult<ApiPath> parse(std::string_view path);
  friend bool operator==(const ApiPath&, const ApiPath&) = default;
};

}  // namespace fairway::k8s
