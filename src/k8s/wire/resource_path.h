// SPDX-License-Identifier: Apache-2.0

// Paths of API requests.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "k8s/group_version.h"
#include "k8s/status.h"

namespace fairway::k8s {

/// The parts of the path of a resource request, decoded.
///
/// "/api/v1/namespaces/a/pods/b/log" is the subresource "log" of the pod "b" in the namespace "a". A
/// Namespace is cluster-scoped: "/api/v1/namespaces/a" has the resource "namespaces", the name "a" and no
/// namespace. After the name of a Namespace, "status" and "finalize" are its subresources, and all other
/// segments are resources in the namespace; in Kubernetes this applies to every group.
struct ResourcePath {
  GroupVersionResource resource = {};
  /// Namespace; empty for cluster-scoped resources, and for lists over all namespaces.
  std::string namespace_name = {};
  /// Name; empty: the collection.
  std::string name = {};
  /// Subresource: "status", "scale", "log"; empty: the object itself.
  std::string subresource = {};
  /// The path after the subresource: "a/b" of "/api/v1/namespaces/n/services/s/proxy/a/b".
  std::string rest = {};

  /// Validates the parts; valid ones round-trip through `to_string` and `ApiPath::parse`. Errors (`invalid`)
  /// name the part: it is empty, "." or "..", contains a slash, a percent sign or a control character, is not
  /// UTF-8 or is too long; a subresource without a name; a resource with a special meaning ("watch", and
  /// "status" in a namespace).
  Result<void> check() const;
  /// Returns the encoded path. Call `check` first.
  std::string to_string() const;
  /// Returns the namespace for authorization; for a Namespace this is its own name.
  std::string_view access_namespace() const;
  friend bool operator==(const ResourcePath&, const ResourcePath&) = default;
};

/// Any path of the API.
struct ApiPath {
  enum class Kind {
    other,          ///< not under /api and /apis: "/version", "/openapi/v3"
    core_versions,  ///< "/api"
    groups,         ///< "/apis"
    group,          ///< "/apis/apps": `resource.resource.group` is set
    group_version,  ///< "/apis/apps/v1", "/api/v1": group and version are set
    resource,
  };
  Kind kind = Kind::other;
  ResourcePath resource = {};

  /// Parses a path. `path` is encoded and has no query; a trailing slash is ignored. Errors (400), only for
  /// paths under /api and /apis: parts that `ResourcePath::check` rejects, including encoded slashes;
  /// malformed escapes; the deprecated prefixes "watch" and "proxy".
  static StatusResult<ApiPath> parse(std::string_view path);
  friend bool operator==(const ApiPath&, const ApiPath&) = default;
};

}  // namespace fairway::k8s
