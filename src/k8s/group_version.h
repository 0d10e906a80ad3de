// SPDX-License-Identifier: Apache-2.0

// Identifiers of API types: group, version, kind, resource.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::k8s {

/// An `apiVersion`: "apps/v1", or "v1" for the core group, whose name is empty.
struct GroupVersion {
  std::string group = {}, version = {};

  /// Parses an apiVersion. Errors: an empty text, an empty group before a slash, an empty version, a second
  /// slash.
  static Result<GroupVersion> parse(std::string_view api_version);
  std::string to_string() const;
  friend auto operator<=>(const GroupVersion&, const GroupVersion&) = default;
};

struct GroupKind {
  std::string group = {}, kind = {};

  /// Returns "Deployment.apps", as in errors and discovery; "Pod" for the core group.
  std::string to_string() const;
  friend auto operator<=>(const GroupKind&, const GroupKind&) = default;
};

struct GroupResource {
  std::string group = {}, resource = {};

  /// Returns "deployments.apps", as errors write it; "pods" for the core group.
  std::string to_string() const;
  friend auto operator<=>(const GroupResource&, const GroupResource&) = default;
};

struct GroupVersionKind {
  std::string group = {}, version = {}, kind = {};

  GroupVersion group_version() const { return {group, version}; }
  GroupKind group_kind() const { return {group, kind}; }
  std::string api_version() const { return group_version().to_string(); }
  /// Returns "apps/v1, Kind=Deployment", as in the API server's errors.
  std::string to_string() const;
  friend auto operator<=>(const GroupVersionKind&, const GroupVersionKind&) = default;
};

struct GroupVersionResource {
  std::string group = {}, version = {}, resource = {};

  GroupVersion group_version() const { return {group, version}; }
  GroupResource group_resource() const { return {group, resource}; }
  /// Returns "apps/v1, Resource=deployments".
  std::string to_string() const;
  /// Returns its path on the API server: "/apis/apps/v1", or "/api/v1" for the core group.
  std::string root_path() const;
  friend auto operator<=>(const GroupVersionResource&, const GroupVersionResource&) = default;
};

enum class Scope { cluster, namespaced };

/// The declaration of a typed view's kind. Strings have static lifetime.
struct Resource {
  std::string_view group = {}, version = {}, kind = {}, plural = {};
  Scope scope = Scope::namespaced;

  GroupVersionKind group_version_kind() const;
  GroupVersionResource group_version_resource() const;
  /// Returns "apps/v1".
  std::string api_version() const { return group_version_kind().api_version(); }
};

}  // namespace fairway::k8s
