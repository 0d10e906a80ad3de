// GatewayClasses, Gateways and ListenerSets of this controller.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gateway/internal/attachment/endpoint_policy.h"
#include "gateway/internal/attachment/evaluate.h"
#include "gateway/internal/attachment/listeners.h"
#include "gateway/internal/attachment/parameters.h"

namespace fairway::gateway {

/// A GatewayClass that names this controller.
struct ClassState {
  const k8s::Dynamic* object = nullptr;
  Parameters parameters;
  /// Why it is not accepted.
  std::optional<k8s::Problem> refused;
  bool operator==(const ClassState&) const = default;
};

struct ListenerSetState {
  const k8s::Dynamic* object = nullptr;
  /// Whether the Gateway allows its namespace: only then its listeners are among the Gateway's.
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
  std::optional<k8s::Problem> refused, unusable, unresolved;
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
  /// Ports whose configuration Envoy does not serve as it is now: Pending, or Invalid with Envoy's words. Set
  /// by the running controller; empty: all have been acknowledged.
  std::map<std::int64_t, k8s::Problem> unprogrammed;

  bool has_accepted_listener(const k8s::Dynamic& owner) const;
  /// Whether it is accepted; its own listeners decide.
  bool is_accepted() const { return !pending && !refused && has_accepted_listener(*object); }
  /// Whether nothing of an owner is served, whatever its listeners are: the Gateway is refused itself, or the
  /// owner is a ListenerSet and the Gateway not accepted.
  bool refuses(const k8s::Dynamic& owner) const {
    return !pending && (refused || (&owner != object && !is_accepted()));
  }
  /// Whether traffic is known to flow through all of its own listeners.
  bool is_ready() const;
  /// Whether objects make the same of it: all but what the running controller sets, and how many routes there
  /// are.
  bool is_same(const GatewayState& other) const;
  /// Takes back what the running controller has set.
  void forget_answers();
};

struct GatewayStates {
  std::deque<ClassState> classes;
  /// The oldest first.
  std::deque<GatewayState> gateways;
  /// Where Envoys may be led.
  EndpointPolicy endpoints;

  /// Whether objects make the same of them. Both have to refer to objects that are there.
  bool are_same(const GatewayStates& other) const;
};

GatewayStates read_gateways(const Objects& objects, const Surroundings& surroundings);

/// The reports on classes, Gateways and ListenerSets; routes have been counted.
void report_gateways(const GatewayStates& states, std::vector<Report>& reports);

}  // namespace fairway::gateway
