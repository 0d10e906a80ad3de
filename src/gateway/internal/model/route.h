// Routes, and what they are attached to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/listener.h"
#include "gateway/internal/objects/api.h"
#include "gateway/internal/objects/objects.h"
#include "k8s/conditions.h"
#include "k8s/object.h"

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
  std::optional<k8s::ConditionError> refused;
};

/// What there is to say of a route whatever listeners there are.
struct RouteFacts {
  std::vector<std::string> hostnames;
  /// Why the whole of it cannot be served.
  std::optional<k8s::ConditionError> invalid;
  /// The rules that are dropped, and why.
  std::vector<k8s::ConditionError> dropped;
  /// References that lead to nothing.
  std::optional<k8s::ConditionError> unresolved;
};

struct RouteState {
  RouteKind kind = RouteKind::http;
  /// Held, so that no other object is at its address.
  std::shared_ptr<const k8s::Dynamic> held;
  const k8s::Dynamic* object = nullptr;
  Age age;
  std::shared_ptr<const RouteFacts> facts;
  std::vector<ParentState> parents;
  /// Another number each time that it was attached: what was made of it is true as long as the number stays.
  std::uint64_t revision = 0;

  /// Returns whether any of its traffic is served through a parent.
  bool is_accepted_by(const ParentState& parent) const {
    return is_attached_by(parent) && !parent.gateway->refuses(*parent.owner);
  }
  /// Returns whether it counts as attached, which the parent's own state has no say in.
  bool is_attached_by(const ParentState& parent) const {
    return !facts->invalid && !parent.refused && !parent.gateway->pending;
  }
};

}  // namespace fairway::gateway
