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

/// A backend, and the cluster that it led to.
struct AskedBackend {
  ObjectRef ref;
  std::string cluster;
};

/// A route on a Gateway, whose backends are wanted as clusters.
struct BackendsOf {
  const Objects& objects;
  const GatewayState& gateway;
  const k8s::Dynamic& route;
  RouteKind kind;
  /// True if BackendTLSPolicies rule its connections: not where clients' bytes are passed on as they are.
  bool has_policies;
  Translation& out;
  /// What has been found already of this translation; nullptr: nothing.
  ClusterNames* names = nullptr;
  /// Takes note of all backends that are asked for, if there is one.
  std::vector<AskedBackend>* asked = nullptr;
};

/// The clusters of one translation by the references that lead to them. Many routes have the same.
class ClusterNames {
 public:
  /// As `add_cluster`, which is asked once for each backend.
  std::string find(const BackendsOf& backends, const ObjectRef& ref);

 private:
  /// By all that the answer depends on, apart from the objects.
  std::unordered_map<std::string, std::string> names_;
};

/// The cluster that a backend leads to, added to the translation; empty where requests must be answered with
/// an error: the reference leads to nothing, no endpoint is ready and permitted, or a BackendTLSPolicy for it
/// cannot be kept.
std::string add_cluster(const BackendsOf& backends, const ObjectRef& ref);

/// The clusters of a rule by weight, `{name, weight}`, with one that is never there for those that are none.
json::Array weighted_clusters(const BackendsOf& backends, const k8s::View& rule);

/// One cluster that has the endpoints of several by their weights, for what chooses among endpoints alone;
/// added by this name. The share of a backend that is none goes to an address to which the kernel sends
/// nothing. `clusters`: as of `weighted_clusters`.
void add_combined_cluster(const std::string& name, const json::Array& clusters, std::uint32_t max_connections,
                          Translation& out);

}  // namespace fairway::gateway
