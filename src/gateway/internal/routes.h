// Attachment: which route is served on which listeners, and why not on others.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "gateway/internal/evaluate.h"
#include "gateway/internal/gateways.h"

namespace fairway::gateway {

/// A route on a listener, for some hostnames.
struct Attachment {
  Listener* listener = nullptr;
  std::vector<std::string> hostnames;
};

/// One of a route's parentRefs that leads to a Gateway of this controller.
struct ParentState {
  ParentRef ref;
  GatewayState* gateway = nullptr;
  /// The Gateway or ListenerSet that is referred to.
  const k8s::Dynamic* owner = nullptr;
  std::vector<Attachment> attachments;
  /// Why there are none.
  std::optional<k8s::Problem> refused;
};

struct RouteState {
  RouteKind kind = RouteKind::http;
  const k8s::Dynamic* object = nullptr;
  std::vector<std::string> hostnames;
  std::vector<ParentState> parents;
  /// Why the whole of it cannot be served.
  std::optional<k8s::Problem> invalid;
  /// The rules that are dropped, and why.
  std::vector<k8s::Problem> dropped;
  /// References that lead to nothing.
  std::optional<k8s::Problem> unresolved;

  /// Whether any of its traffic is served through a parent.
  bool is_accepted_by(const ParentState& parent) const {
    return is_attached_by(parent) && !parent.gateway->refuses(*parent.owner);
  }
  /// Whether it counts as attached, which the parent's own state has no say in.
  bool is_attached_by(const ParentState& parent) const {
    return !invalid && !parent.refused && !parent.gateway->pending;
  }
};

/// All routes with a parentRef to one of these Gateways or their ListenerSets; the listeners count them.
std::deque<RouteState> attach_routes(const Objects& objects, GatewayStates& gateways);

/// Why a route is not served on a listener of its parent's Gateway; std::nullopt where nothing keeps it from
/// there. The reasons are asked for in the order in which attachment does.
std::optional<std::string> why_not_attached(const Objects& objects, const RouteState& route,
                                            const ParentState& parent, const Listener& listener);

/// The reports on routes, also on those that are attached to nothing any more.
void report_routes(const Objects& objects, const std::deque<RouteState>& routes,
                   std::vector<Report>& reports);

}  // namespace fairway::gateway
