// SPDX-License-Identifier: Apache-2.0

// GatewayClasses, Gateways and ListenerSets of this controller, as objects make them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "gateway/internal/model/endpoint_policy.h"
#include "gateway/internal/model/listener.h"
#include "gateway/internal/model/parameters.h"
#include "gateway/internal/model/tracing.h"
#include "k8s/conditions.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// A GatewayClass that names this controller.
struct ClassState {
  const k8s::Dynamic* object = nullptr;
  Parameters parameters;
  /// Reason why it is not accepted.
  std::optional<k8s::ConditionError> refused;
  bool operator==(const ClassState&) const = default;
};

struct ListenerSetState {
  const k8s::Dynamic* object = nullptr;
  /// True if the Gateway allows its namespace: only then are its listeners among the Gateway's.
  bool is_allowed = false;
  bool operator==(const ListenerSetState&) const = default;
};

struct GatewayState {
  const k8s::Dynamic* object = nullptr;
  Parameters parameters;
  /// Reason why nothing is known yet: its class is not accepted, or gone.
  std::optional<std::string> pending;
  /// Reasons why it is not accepted, apart from its listeners; why its addresses cannot be used; and why its
  /// own references cannot be resolved.
  std::optional<k8s::ConditionError> refused, unusable, unresolved;
  /// Its own listeners, then those of the ListenerSets that it allows, in the order of their precedence.
  std::vector<Listener> listeners;
  std::vector<ListenerSetState> sets;
  bool has_insecure_clients = false;
  /// The addresses of the Service that it is behind: then Envoy listens on all addresses of the machine.
  std::optional<json::Array> service_addresses;
  /// The collector of its Envoys' spans; std::nullopt: there is none.
  std::optional<Tracing> tracing;
  /// The endpoints that its Envoys may connect to.
  EndpointPolicy endpoints;

  bool has_accepted_listener(const k8s::Dynamic& owner) const;
  /// Returns whether it is accepted, for which at least one of its own listeners has to be.
  bool is_accepted() const { return !pending && !refused && has_accepted_listener(*object); }
  /// Returns whether nothing of an owner is served, whatever its listeners are: the Gateway itself is
  /// refused, or the owner is a ListenerSet and the Gateway is not accepted.
  bool refuses(const k8s::Dynamic& owner) const {
    return !pending && (refused || (&owner != object && !is_accepted()));
  }
  /// Returns whether it was made from the same objects with the same results, apart from the routes on its
  /// listeners.
  bool is_same(const GatewayState& other) const;
};

struct GatewayStates {
  std::deque<ClassState> classes;
  /// The Gateways, the oldest first.
  std::deque<GatewayState> gateways;
  /// The endpoints that Envoys may connect to.
  EndpointPolicy endpoints;

  /// Returns whether they were made from the same objects with the same results, apart from routes. The
  /// objects that both refer to must still exist.
  bool are_same(const GatewayStates& other) const;
};

}  // namespace fairway::gateway
