// SPDX-License-Identifier: Apache-2.0

// Translation: Envoy's configuration of Gateways and routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/route.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/translation/envoy_clusters.h"
#include "gateway/internal/translation/envoy_matches.h"
#include "gateway/internal/translation/ports.h"
#include "gateway/internal/translation/route_tables.h"
#include "gateway/internal/translation/translation.h"

namespace fairway::gateway {

/// The Envoy routes of routes, kept for the next translation: most of them do not change.
class TranslationCache {
 public:
  using Routes = std::shared_ptr<const std::vector<EnvoyRoute>>;
  /// Begins a translation. `are_gateways_same`: the Gateways are the same as in the last one.
  void begin(const Objects& objects, bool are_gateways_same);
  /// Returns `envoy_routes`. They are made again only if the route has changed, or one of its backends leads
  /// elsewhere.
  Routes routes(const RouteState& route, const BackendsOf& backends, const k8s::Key& gateway,
                std::string_view scheme, std::int64_t port);
  /// Returns the routes that can be served, the oldest first.
  std::vector<const RouteState*> by_age(const std::deque<RouteState>& routes);
  /// Ends the translation, and forgets all that was not used in it.
  void end(const Translation& translation);
  /// Returns the Envoy routes of the last translation; nullptr: the route had none.
  Routes find(const RouteState& route, const k8s::Key& gateway, std::string_view scheme,
              std::int64_t port) const;
  /// Returns the RouteConfigurations by their names.
  std::map<std::string, RouteTable>& tables() { return tables_; }

 private:
  struct Cached {
    /// The route, held so that no other object is at its address.
    std::shared_ptr<const k8s::Dynamic> route;
    k8s::Key gateway;
    std::string scheme;
    std::int64_t port = 0;
    std::vector<AskedBackend> asked;
    Routes routes;
    bool is_used = true;
    /// True if it was used in the last translation.
    bool was_used = false;
  };
  bool still_leads_there(const Cached& cached, Translation& out) const;

  std::unordered_map<const k8s::Dynamic*, std::vector<Cached>> cache_;
  /// True if all objects that decide what backends lead to are the same as in the last translation.
  bool is_same_world_ = false;
  /// Revisions of these objects in the last translation.
  std::vector<std::uint64_t> world_;
  /// Clusters of the last translation.
  Translation::Of clusters_;
  /// The last order of routes, as indices.
  std::vector<std::size_t> order_;
  std::map<std::string, RouteTable> tables_;
};

/// The ports of a Gateway, by number and whether they are UDP.
using Ports = std::map<std::pair<std::int64_t, bool>, Port>;

/// Returns the ports of a Gateway with what is served on them, with the Envoy routes of the last translation
/// of the same objects.
Ports served_ports(const GatewayState& gateway, const std::deque<RouteState>& routes,
                   const TranslationCache& cached);

/// Translates the accepted listeners and routes of Gateways whose configuration can be served. HTTP backends
/// that do not exist or are not permitted lead to a cluster that never exists, and so to 500; those without
/// an endpoint lead to an empty cluster, and so to 503. Connections to such backends are closed.
/// `are_gateways_same`: they are the same as in the last translation with `known`.
Translation translate(const Objects& objects, const GatewayStates& gateways,
                      const std::deque<RouteState>& routes, TranslationCache& cached,
                      bool are_gateways_same = false);

}  // namespace fairway::gateway
