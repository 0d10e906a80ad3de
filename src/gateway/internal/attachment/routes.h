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

/// The facts of routes, from pass to pass: most of them stay as they are.
class RouteFactsCache {
 public:
  /// Returns those of a route, and of what it refers to, as they are in `objects`.
  std::shared_ptr<const RouteFacts> facts(const Objects& objects, RouteKind kind,
                                          const std::shared_ptr<const k8s::Dynamic>& route);
  /// Returns the next `RouteState::revision`.
  std::uint64_t next_revision() { return ++revision_; }
  /// Forgets those whose facts have not been asked for since the last call.
  void forget_others();
  void forget(const k8s::Dynamic* route) { known_.erase(route); }

 private:
  struct Known {
    /// Held, so that no other object is at its address.
    std::shared_ptr<const k8s::Dynamic> route;
    /// Of the Services and the ReferenceGrants.
    std::uint64_t services = 0, grants = 0;
    std::shared_ptr<const RouteFacts> facts;
    bool is_used = true;
  };
  std::unordered_map<const k8s::Dynamic*, Known> known_;
  std::uint64_t revision_ = 0;
};

/// Attaches all routes with a parentRef to one of these Gateways or their ListenerSets, by kind and name; the
/// listeners count them.
std::deque<RouteState> attach_routes(const Objects& objects, GatewayStates& gateways, RouteFactsCache& cache);

/// Makes the `routes` of the last time those of now, where nothing but routes has changed: these Gateways are
/// the ones that they refer to, and Services, ReferenceGrants and Namespaces are what they were. False: they
/// have to be attached anew, all of them, for there are routes of kinds that can be in each other's way.
bool attach_changed(const Objects& objects, GatewayStates& gateways, RouteFactsCache& cache,
                    std::deque<RouteState>& routes);

/// Why a route is not served on a listener of its parent's Gateway; std::nullopt where nothing keeps it from
/// there. The reasons are asked for in the order in which attachment does.
std::optional<std::string> why_not_attached(const Objects& objects, const RouteState& route,
                                            const ParentState& parent, const Listener& listener);

}  // namespace fairway::gateway
