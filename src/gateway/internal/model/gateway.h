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
  /// Why it is not accepted.
  std::optional<k8s::ConditionError> refused;
  bool operator==(const ClassState&) const = default;
};

struct ListenerSetState {
  const k8s::Dynamic* object = nullptr;
  /// True if the Gateway allows its namespace: only then its listeners are among the Gateway's.
  bool is_allowed = false;
  bool operator==(const ListenerSetState&) const = default;
};

struct GatewayState {
  const k8s::Dynamic* object = nullptr;
  Parameters parameters;
  /// Why nothing is known yet: its class is not accepted, or gone.
  std::optional<std::string> pending;
  /// Why it is not accepted, listeners apart; why its addresses are of no use; what is wrong with its own
  /// references.
  std::optional<k8s::ConditionError> refused, unusable, unresolved;
  /// Its own, then those of the ListenerSets that it allows, in the order of their precedence.
  std::vector<Listener> listeners;
  std::vector<ListenerSetState> sets;
  bool has_insecure_clients = false;
  /// The addresses of the Service that it is behind: Envoy listens on all of its own.
  std::optional<json::Array> service_addresses;
  /// Where its Envoys send spans.
  std::optional<Tracing> tracing;
  /// Where they may be led.
  EndpointPolicy endpoints;

  bool has_accepted_listener(const k8s::Dynamic& owner) const;
  /// Returns whether it is accepted; its own listeners decide.
  bool is_accepted() const { return !pending && !refused && has_accepted_listener(*object); }
  /// Returns whether nothing of an owner is served, whatever its listeners are: the Gateway is refused
  /// itself, or the owner is a ListenerSet and the Gateway not accepted.
  bool refuses(const k8s::Dynamic& owner) const {
    return !pending && (refused || (&owner != object && !is_accepted()));
  }
  /// Returns whether objects make the same of it, however many routes there are.
  bool is_same(const GatewayState& other) const;
};

struct GatewayStates {
  std::deque<ClassState> classes;
  /// The oldest first.
  std::deque<GatewayState> gateways;
  /// Where Envoys may be led.
  EndpointPolicy endpoints;

  /// Returns whether objects make the same of them. Both have to refer to objects that are there.
  bool are_same(const GatewayStates& other) const;
};

}  // namespace fairway::gateway
