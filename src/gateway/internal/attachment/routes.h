// SPDX-License-Identifier: Apache-2.0

// Attachment: which route is served on which listeners, and why not on others.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/route.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

/// The facts of routes, kept from pass to pass: most of them do not change.
class RouteFactsCache {
 public:
  /// Returns the facts of a route and of the objects that it refers to, as they are in `objects`.
  std::shared_ptr<const RouteFacts> facts(const Objects& objects, RouteKind kind,
                                          const std::shared_ptr<const k8s::Dynamic>& route);
  /// Returns the next `RouteState::revision`.
  std::uint64_t next_revision() { return ++revision_; }
  /// Forgets the routes whose facts have not been looked up since the last call.
  void forget_others();
  void forget(const k8s::Dynamic* route) { cache_.erase(route); }

 private:
  struct Cached {
    /// The route, held so that no other object is at its address.
    std::shared_ptr<const k8s::Dynamic> route;
    /// Revisions of the Services and the ReferenceGrants.
    std::uint64_t services = 0, grants = 0;
    std::shared_ptr<const RouteFacts> facts;
    bool is_used = true;
  };
  std::unordered_map<const k8s::Dynamic*, Cached> cache_;
  std::uint64_t revision_ = 0;
};

/// Attaches all routes with a parentRef to one of these Gateways or their ListenerSets, in the order of kind
/// and name, and counts them for the listeners.
std::deque<RouteState> attach_routes(const Objects& objects, GatewayStates& gateways, RouteFactsCache& cache);

/// Updates the `routes` of the last pass if only routes have changed: they refer to these Gateways, and
/// Services, ReferenceGrants and Namespaces are the same. Returns false if there are both HTTPRoutes and
/// GRPCRoutes, which may conflict: then all routes have to be attached again.
bool attach_changed(const Objects& objects, GatewayStates& gateways, RouteFactsCache& cache,
                    std::deque<RouteState>& routes);

/// Returns the reason why a route is not served on a listener of its parent's Gateway; std::nullopt: there is
/// none. Reasons are checked in the order in which attachment checks them.
std::optional<std::string> why_not_attached(const Objects& objects, const RouteState& route,
                                            const ParentState& parent, const Listener& listener);

}  // namespace fairway::gateway
