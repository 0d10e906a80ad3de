// SPDX-License-Identifier: Apache-2.0

// Routes, and what they are attached to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  /// Names in `hostnames` that the listener has narrowed, each with the route's own (narrowed_hostnames).
  std::map<std::string, std::string, std::less<>> narrowed = {};

  /// Returns the route's own hostname that one of `hostnames` was made of. Routes that are served for the
  /// same name have precedence by it.
  std::string_view own_hostname(std::string_view hostname) const {
    const auto found = narrowed.find(hostname);
    return found == narrowed.end() ? hostname : std::string_view(found->second);
  }
};

/// A parentRef of a route that refers to a Gateway of this controller.
struct ParentState {
  ParentRef ref;
  GatewayState* gateway = nullptr;
  /// The Gateway or ListenerSet that is referred to.
  const k8s::Dynamic* owner = nullptr;
  std::vector<Attachment> attachments;
  /// Reason why there are no attachments.
  std::optional<k8s::ConditionError> refused;
};

/// The facts about a route that do not depend on listeners.
struct RouteFacts {
  std::vector<std::string> hostnames;
  /// Reason why no part of it can be served.
  std::optional<k8s::ConditionError> invalid;
  /// Reasons why rules are dropped.
  std::vector<k8s::ConditionError> dropped;
  /// Reason why references cannot be resolved.
  std::optional<k8s::ConditionError> unresolved;
};

struct RouteState {
  RouteKind kind = RouteKind::http;
  /// The object, held so that no other is at its address.
  std::shared_ptr<const k8s::Dynamic> held;
  const k8s::Dynamic* object = nullptr;
  Age age;
  std::shared_ptr<const RouteFacts> facts;
  std::vector<ParentState> parents;
  /// Number that changes each time the route is attached. Results that were made from the route are valid
  /// while it stays the same.
  std::uint64_t revision = 0;

  /// Returns whether any of its traffic is served through a parent.
  bool is_accepted_by(const ParentState& parent) const {
    return is_attached_by(parent) && !parent.gateway->refuses(*parent.owner);
  }
  /// Returns whether it counts as attached, whether or not the parent itself is accepted.
  bool is_attached_by(const ParentState& parent) const {
    return !facts->invalid && !parent.refused && !parent.gateway->pending;
  }
};

}  // namespace fairway::gateway
