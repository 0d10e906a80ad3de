// Attachment: which route is served on which listeners, and why not on others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/internal/attachment/evaluate.h"
#include "gateway/internal/attachment/gateways.h"

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
  /// The rules of which Envoys refuse something there, by number and with what they say, and whether nothing
  /// else is served. Their routes answer 500, or are left out.
  std::map<std::size_t, std::string> refused_rules = {};
  bool is_refused_by_envoy = false;
};

/// What there is to say of a route whatever listeners there are.
struct RouteFacts {
  std::vector<std::string> hostnames;
  /// Why the whole of it cannot be served.
  std::optional<k8s::Problem> invalid;
  /// The rules that are dropped, and why.
  std::vector<k8s::Problem> dropped;
  /// References that lead to nothing.
  std::optional<k8s::Problem> unresolved;
};

struct RouteState {
  RouteKind kind = RouteKind::http;
  const k8s::Dynamic* object = nullptr;
  /// The same.
  std::shared_ptr<const k8s::Dynamic> held;
  Age age;
  std::shared_ptr<const RouteFacts> facts;
  std::vector<ParentState> parents;
  /// The endpoints of its backends that Envoy is not led to, for its status; and of what that was said.
  std::string left_out = {};
  std::shared_ptr<const void> left_out_by = {};
  /// What its status shall say, once it has been asked for.
  std::shared_ptr<const std::vector<EntryReport>> entries = {};

  /// Whether any of its traffic is served through a parent.
  bool is_accepted_by(const ParentState& parent) const {
    return is_attached_by(parent) && !parent.gateway->refuses(*parent.owner);
  }
  /// Whether it counts as attached, which the parent's own state has no say in.
  bool is_attached_by(const ParentState& parent) const {
    return !facts->invalid && !parent.refused && !parent.gateway->pending;
  }
};

/// What was found out about routes, for the next time: most of them stay as they are.
class KnownRoutes {
 public:
  /// Of a route, and of what it refers to, as they are in `objects`.
  std::shared_ptr<const RouteFacts> facts(const Objects& objects, RouteKind kind,
                                          const std::shared_ptr<const k8s::Dynamic>& route);
  /// What its status shall say, of a route whose facts are from here.
  std::shared_ptr<const std::vector<EntryReport>> entries(const RouteState& route);
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
    /// What was made of these words on its parents.
    std::string words;
    std::shared_ptr<const std::vector<EntryReport>> entries;
    bool is_used = true;
  };
  std::unordered_map<const k8s::Dynamic*, Known> known_;
};

/// All routes with a parentRef to one of these Gateways or their ListenerSets; the listeners count them.
std::deque<RouteState> attach_routes(const Objects& objects, GatewayStates& gateways, KnownRoutes& known);

/// Makes the `routes` of the last time those of now, where nothing but routes has changed: these Gateways are
/// the ones that they refer to, and Services, ReferenceGrants and Namespaces are what they were. False: they
/// have to be attached anew, all of them, for there are routes of kinds that can be in each other's way.
bool attach_changed(const Objects& objects, GatewayStates& gateways, KnownRoutes& known,
                    std::deque<RouteState>& routes);

/// Why a route is not served on a listener of its parent's Gateway; std::nullopt where nothing keeps it from
/// there. The reasons are asked for in the order in which attachment does.
std::optional<std::string> why_not_attached(const Objects& objects, const RouteState& route,
                                            const ParentState& parent, const Listener& listener);

/// The reports on routes, also on those that are attached to nothing any more. `known` is that of
/// `attach_routes`, and `routes` remember what they say.
void report_routes(const Objects& objects, std::deque<RouteState>& routes, KnownRoutes& known,
                   std::vector<Report>& reports);

}  // namespace fairway::gateway
