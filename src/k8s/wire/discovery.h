// Discovery: which groups, versions and resources an API server has. One model, and the documents of both
// forms: the aggregated one (APIGroupDiscoveryList), which says all at once, and the plain ones.
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
  /// "status", "scale".
  std::string name;
  /// What it answers with; an empty kind: nothing of a kind, or it is not said.
  GroupVersionKind response_kind;
  std::vector<GroupVersionKind> accepted_kinds;
  std::vector<std::string> verbs;
  friend bool operator==(const DiscoveredSubresource&, const DiscoveredSubresource&) = default;
};

struct DiscoveredResource {
  /// The plural: "deployments".
  std::string name;
  /// An empty kind: there are subresources only.
  GroupVersionKind response_kind;
  Scope scope = Scope::namespaced;
  std::string singular;
  std::vector<std::string> verbs, short_names, categories;
  std::vector<DiscoveredSubresource> subresources;
  /// Plain documents only.
  std::string storage_version_hash;
  friend bool operator==(const DiscoveredResource&, const DiscoveredResource&) = default;
};

struct DiscoveredVersion {
  std::string version;
  std::vector<DiscoveredResource> resources;
  /// The server that has them could not be asked (its APIService is not available): `resources` are those of
  /// old, or none, and that one of them is missing says nothing.
  bool stale = false;
  friend bool operator==(const DiscoveredVersion&, const DiscoveredVersion&) = default;
};

struct DiscoveredGroup {
  /// Empty: the core group.
  std::string name;
  /// The preferred one first.
  std::vector<DiscoveredVersion> versions;

  /// nullptr where it is not there.
  const DiscoveredVersion* find(std::string_view version) const;
  friend bool operator==(const DiscoveredGroup&, const DiscoveredGroup&) = default;
};

/// Groups in order of priority. Each document below is written from and read into it as far as it goes.
struct Discovery {
  std::vector<DiscoveredGroup> groups;

  const DiscoveredGroup* find(std::string_view group) const;
  friend bool operator==(const Discovery&, const Discovery&) = default;
};

// All `read_` functions take JSON text. Errors (`invalid`) name the document and the member: another kind,
// members of another type, names that are missing or stand twice. Members that are not known are passed over.

enum class AggregatedVersion { v2, v2beta1 };

/// Of /api and /apis, as APIGroupDiscoveryList of apidiscovery.k8s.io. A resource that is there without a
/// kind, and versions that are stale, are kept.
std::string write_aggregated(const Discovery& discovery, AggregatedVersion version = AggregatedVersion::v2);
Result<Discovery> read_aggregated(std::string_view text);

/// Where clients of a network reach the server.
struct ServerAddress {
  std::string client_cidr = "0.0.0.0/0", server_address;
  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

/// Of /api: the versions of the core group.
std::string write_api_versions(const DiscoveredGroup& core, const std::vector<ServerAddress>& addresses = {});
/// Versions without resources.
Result<DiscoveredGroup> read_api_versions(std::string_view text);

/// Of /apis: all groups but the core group. A version that is stale has no place in plain documents and is
/// left out, and so is a group without another.
std::string write_group_list(const Discovery& discovery);
/// Groups with versions, the preferred first, without resources.
Result<Discovery> read_group_list(std::string_view text);

/// Of /apis/GROUP, as above.
std::string write_group(const DiscoveredGroup& group);
Result<DiscoveredGroup> read_group(std::string_view text);

/// Of /apis/GROUP/VERSION and /api/v1. Accepted kinds are lost, as are resources and subresources without a
/// kind that have no verbs.
std::string write_resource_list(const GroupVersion& group_version, const DiscoveredVersion& version);
/// Subresources are put to their resources; one whose resource is not listed makes it, without a kind.
Result<std::pair<GroupVersion, DiscoveredVersion>> read_resource_list(std::string_view text);

}  // namespace fairway::k8s
