// SPDX-License-Identifier: Apache-2.0

// Discovery: the groups, versions and resources of an API server. One model for the aggregated document
// (APIGroupDiscoveryList) and the plain ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "k8s/group_version.h"

namespace fairway::k8s {

struct DiscoveredSubresource {
  /// Name: "status", "scale".
  std::string name = {};
  /// The kind of its replies; empty if unknown.
  GroupVersionKind response_kind = {};
  std::vector<GroupVersionKind> accepted_kinds = {};
  std::vector<std::string> verbs = {};
  friend bool operator==(const DiscoveredSubresource&, const DiscoveredSubresource&) = default;
};

struct DiscoveredResource {
  /// Plural name: "deployments".
  std::string name = {};
  /// Kind of its replies; empty if there are subresources only.
  GroupVersionKind response_kind = {};
  Scope scope = Scope::namespaced;
  std::string singular = {};
  std::vector<std::string> verbs = {}, short_names = {}, categories = {};
  std::vector<DiscoveredSubresource> subresources = {};
  /// Hash of the storage version; only in plain documents.
  std::string storage_version_hash = {};
  friend bool operator==(const DiscoveredResource&, const DiscoveredResource&) = default;
};

struct DiscoveredVersion {
  std::string version = {};
  std::vector<DiscoveredResource> resources = {};
  /// True if the server of this version is unavailable (APIService): `resources` are outdated or missing.
  bool stale = false;
  friend bool operator==(const DiscoveredVersion&, const DiscoveredVersion&) = default;
};

struct DiscoveredGroup {
  /// Name of the group; empty: the core group.
  std::string name = {};
  /// Versions, the preferred one first.
  std::vector<DiscoveredVersion> versions = {};

  /// Returns a version; nullptr if there is none.
  const DiscoveredVersion* find(std::string_view version) const;
  friend bool operator==(const DiscoveredGroup&, const DiscoveredGroup&) = default;
};

/// Groups, in order of priority.
struct Discovery {
  std::vector<DiscoveredGroup> groups = {};

  const DiscoveredGroup* find(std::string_view group) const;
  friend bool operator==(const Discovery&, const Discovery&) = default;
};

// All `read_` functions take JSON text. Errors (`invalid`) name the document and the field: wrong kinds and
// types, missing and duplicate names. Unknown fields are ignored.

enum class AggregatedVersion { v2, v2beta1 };

/// Returns the aggregated form of /api and /apis. It includes stale versions, and resources without a kind.
std::string write_aggregated(const Discovery& discovery, AggregatedVersion version = AggregatedVersion::v2);
Result<Discovery> read_aggregated(std::string_view text);

/// The address of the server for clients of a network.
struct ServerAddress {
  std::string client_cidr = "0.0.0.0/0", server_address;
  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

/// Returns the document of /api: the versions of the core group.
std::string write_api_versions(const DiscoveredGroup& core, const std::vector<ServerAddress>& addresses = {});
/// Reads the document of /api: versions without resources.
Result<DiscoveredGroup> read_api_versions(std::string_view text);

/// Returns the document of /apis: all groups but the core group. Plain documents omit stale versions, and
/// groups that have no others.
std::string write_group_list(const Discovery& discovery);
/// Reads the document of /apis: groups and versions (the preferred one first), without resources.
Result<Discovery> read_group_list(std::string_view text);

/// Returns the document of /apis/GROUP. It omits stale versions.
std::string write_group(const DiscoveredGroup& group);
Result<DiscoveredGroup> read_group(std::string_view text);

/// Returns the document of /apis/GROUP/VERSION or /api/v1. It omits accepted kinds, and resources and
/// subresources with neither kind nor verbs.
std::string write_resource_list(const GroupVersion& group_version, const DiscoveredVersion& version);
/// Reads the document of /apis/GROUP/VERSION or /api/v1. A subresource whose resource is not listed adds that
/// resource, without a kind.
Result<std::pair<GroupVersion, DiscoveredVersion>> read_resource_list(std::string_view text);

}  // namespace fairway::k8s
