// SPDX-License-Identifier: Apache-2.0

// Backends as Envoy's clusters.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/objects/api.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/translation/translation.h"

namespace fairway::gateway {

class ClusterNames;

/// The use of a cluster: for requests, or for mirrored copies of them, from which headers are removed that
/// Envoy adds.
enum class ClusterUse : std::uint8_t { requests, copies };

/// A reference to a backend, and the cluster that it led to.
struct AskedBackend {
  ObjectRef ref;
  std::string cluster;
  ClusterUse use = ClusterUse::requests;
};

/// A route on a Gateway whose backends become clusters.
struct BackendsOf {
  const Objects& objects;
  const GatewayState& gateway;
  const k8s::Dynamic& route;
  RouteKind kind;
  /// True if BackendTLSPolicies apply to its connections. They do not if clients' bytes are passed on
  /// unchanged.
  bool has_policies;
  Translation& out;
  /// The clusters that have been found already in this translation; nullptr: none.
  ClusterNames* names = nullptr;
  /// The list that all backends are recorded in; nullptr: they are not recorded.
  std::vector<AskedBackend>* asked = nullptr;
};

/// The clusters of one translation by the references that lead to them. Many routes have the same references.
class ClusterNames {
 public:
  /// Returns the cluster of `add_cluster`, which is computed once for each backend.
  std::string find(const BackendsOf& backends, const ObjectRef& ref, ClusterUse use);

 private:
  /// The clusters' names, by all that they depend on, apart from the objects.
  std::unordered_map<std::string, std::string> names_;
};

/// Adds the cluster of a backend to the translation, and returns its name; empty: requests must be answered
/// with an error, since the reference leads to nothing, or a BackendTLSPolicy for it cannot be applied. A
/// Service without an endpoint that can be used has a cluster without endpoints.
std::string add_cluster(const BackendsOf& backends, const ObjectRef& ref,
                        ClusterUse use = ClusterUse::requests);

/// Returns the clusters of a rule by weight, `{name, weight}`. Backends without a cluster get the one that
/// never exists.
json::Array weighted_clusters(const BackendsOf& backends, const k8s::View& rule);

/// Adds a cluster of this name that has the endpoints of several clusters by their weights, for configuration
/// that chooses among endpoints only. The share of a backend without a cluster, or without an endpoint, goes
/// to an address to which the kernel sends nothing. `clusters`: as returned by `weighted_clusters`.
void add_combined_cluster(const std::string& name, const json::Array& clusters, const EndpointPolicy& policy,
                          Translation& out);

}  // namespace fairway::gateway
