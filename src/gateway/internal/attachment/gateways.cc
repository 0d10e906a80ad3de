// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/gateways.h"

#include <algorithm>

#include "base/address_class.h"
#include "base/text.h"
#include "gateway/internal/attachment/listeners.h"
#include "gateway/internal/attachment/parameters.h"
#include "gateway/internal/attachment/served_sockets.h"
#include "gateway/internal/objects/references.h"
#include "gateway/internal/objects/values.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;
using k8s::View;

/// Returns the reason why Envoy may not listen on an address; std::nullopt: it may. Programs use the local
/// addresses of their machine and trust the clients that connect to them there, so no tenant may take one.
std::optional<std::string> refusal_of(const std::string& address, const AddressPool& listed) {
  const auto its_class = classify_address(address);
  const auto refused_unless_listed = [&](const char* what) -> std::optional<std::string> {
    if (listed.contains(address)) return std::nullopt;
    return address + " is " + what + ": the administrator would have to list it (--addresses)";
  };
  switch (its_class.value_or(AddressClass::unspecified)) {
    case AddressClass::ordinary:
      break;
    case AddressClass::loopback:
      return refused_unless_listed("a loopback address");
    case AddressClass::link_local:
      return refused_unless_listed("a link-local address");
    case AddressClass::metadata:
      return refused_unless_listed("the address of a cloud's metadata service");
    case AddressClass::site_local:
    case AddressClass::multicast:
    case AddressClass::unspecified:
      return "\"" + printable(address) + "\" is no unicast IP address";
  }
  // A mapped address is the same socket; the others are translated on their way, and no machine has them.
  const auto bytes = address_bytes(address);
  if (bytes && plain_address(*bytes) != *bytes)
    return address + " stands for an address of IPv4 that something else translates: name that one";
  return std::nullopt;
}

/// Refuses listeners on the ports of this program itself.
void refuse_own_ports(const PassContext& context, GatewayState& state) {
  std::vector<std::string> addresses;
  if (context.behind_services.contains(state.object->key())) {
    // Connections to a Service arrive at any address that Envoy has.
    addresses.emplace_back("0.0.0.0");
  } else {
    for (const View& one : state.object->items("spec.addresses")) addresses.emplace_back(one.text("value"));
  }
  for (Listener& listener : state.listeners) {
    if (!listener.is_accepted() || listener.spec.protocol() == "UDP") continue;
    for (const std::string& address : addresses) {
      const OwnListener* own = context.own_listeners.find(address, listener.spec.port());
      if (own == nullptr) continue;
      listener.invalid =
          ConditionError{"PortUnavailable", "port " + std::to_string(listener.spec.port()) + " of " +
                                                address + " belongs to the controller's own " + own->flag};
      break;
    }
  }
}

ClassState read_class(const Objects& objects, const Dynamic& object) {
  ClassState state{.object = &object};
  if (!object.has("spec.parametersRef")) return state;
  // A reference to an object of a namespace should name it; where there are no namespaces, it is "default".
  auto parameters = read_parameters(objects, object.at("spec.parametersRef"), "default", LogFiles::allowed);
  if (parameters) {
    state.parameters = *parameters;
  } else {
    state.refused = ConditionError{"InvalidParameters", parameters.error().message};
  }
  return state;
}

void read_addresses(const AddressPool& listed, GatewayState& state,
                    std::map<std::string, const Dynamic*>& taken) {
  for (const View& address : state.object->items("spec.addresses")) {
    const std::string_view type = address.text("type", "IPAddress");
    const std::string value(address.text("value"));
    if (type != "IPAddress") {
      state.refused = ConditionError{"UnsupportedAddress", "addresses of the type \"" + printable(type) +
                                                               "\" are not supported; use IPAddress"};
      state.unusable = ConditionError{"AddressNotUsable", state.refused->message};
      return;
    }
    if (const std::string_view scope = address.text("routability"); !scope.empty()) {
      state.refused =
          ConditionError{"UnsupportedAddress", "the routability \"" + printable(scope) +
                                                   "\" is not supported; leave it out for the default"};
      state.unusable = ConditionError{"AddressNotUsable", state.refused->message};
      return;
    }
    if (value.empty()) continue;
    if (auto refusal = refusal_of(value, listed)) {
      state.unusable = ConditionError{"AddressNotUsable", *std::move(refusal)};
      return;
    }
    const auto [owner, is_free] = taken.emplace(canonical_address(value), state.object);
    if (!is_free && owner->second != state.object) {
      // Not whose: it may be in a namespace that this one's users must not see.
      state.unusable =
          ConditionError{"AddressNotUsable", "the address " + value + " is that of an older Gateway"};
    }
  }
}

std::optional<ConditionError> client_certificate_problem(const Objects& objects, const Dynamic& gateway,
                                                         WallTime now) {
  if (!gateway.has("spec.tls.backend.clientCertificateRef")) return std::nullopt;
  const ObjectRef ref(gateway.at("spec.tls.backend.clientCertificateRef").json());
  Certificate certificate;
  return resolve_certificate(objects, "Gateway", gateway.namespace_name(), ref, "InvalidClientCertificateRef",
                             now, certificate);
}

bool lets_anybody_in(const Dynamic& gateway) {
  const auto is_insecure = [](const View& tls) {
    return tls.text("validation.mode") == "AllowInsecureFallback";
  };
  const auto ports = gateway.items("spec.tls.frontend.perPort");
  return is_insecure(gateway.at("spec.tls.frontend.default")) ||
         std::ranges::any_of(ports, [&](const View& port) { return is_insecure(port.at("tls")); });
}

void read_own_parameters(const Objects& objects, GatewayState& state) {
  if (!state.object->has("spec.infrastructure.parametersRef")) return;
  const View ref = state.object->at("spec.infrastructure.parametersRef");
  auto parameters = read_parameters(objects, ref, state.object->namespace_name(), LogFiles::refused);
  if (parameters) {
    parameters->inherit(state.parameters);
    state.parameters = *parameters;
  } else {
    state.refused = ConditionError{"InvalidParameters", parameters.error().message};
  }
}

/// The Gateway that has a port of the Envoys behind Services, by the port's number and whether it is UDP. An
/// Envoy has one socket for a port, whichever Services lead there.
using ServicePorts = std::map<std::pair<std::int64_t, bool>, const Dynamic*>;

/// Refuses listeners on ports that the Service before the Envoys does not have, or that an older Gateway has.
void read_service(const ServiceFront& front, ServicePorts& taken, GatewayState& state) {
  state.service_addresses = front.addresses;
  const std::string service = "Service " + front.service.to_string();
  bool is_crowded_out = false, has_others = false;
  for (Listener& listener : state.listeners) {
    if (!listener.is_accepted()) {
      has_others = true;
      continue;
    }
    const std::pair port(listener.spec.port(), listener.spec.protocol() == "UDP");
    const std::string name = "port " + std::to_string(port.first);
    if (!front.ports.contains(port)) {
      listener.invalid = ConditionError{"PortUnavailable", service + " has no " + name + " for it"};
      has_others = true;
      continue;
    }
    const auto [owner, is_free] = taken.try_emplace(port, state.object);
    if (owner->second == state.object) {
      has_others = true;
    } else {
      is_crowded_out = true;
      listener.invalid =
          ConditionError{"PortUnavailable", name + " of " + service + " is that of an older Gateway"};
    }
  }
  if (is_crowded_out && !has_others && !state.refused)
    state.refused = state.unusable = ConditionError{"NoResources", "its ports of " + service + " are taken"};
}

/// Returns whether a ListenerSet's parentRef leads to a Gateway.
bool is_of(const Dynamic& set, const Dynamic& gateway) {
  const ParentRef parent(set.at("spec.parentRef").json());
  return parent.group() == gateway_group && parent.kind() == "Gateway" && parent.name() == gateway.name() &&
         parent.namespace_name(set.namespace_name()) == gateway.namespace_name();
}

void read_listeners(const Objects& objects, const std::vector<const Dynamic*>& sets, WallTime now,
                    GatewayState& state) {
  const Dynamic& gateway = *state.object;
  state.listeners = listeners_of(objects, gateway, gateway, now);
  for (const Dynamic* set : sets) {
    if (!is_of(*set, gateway)) continue;
    const bool is_allowed = objects.allows_namespace(gateway.at("spec.allowedListeners.namespaces"), "None",
                                                     gateway.namespace_name(), set->namespace_name());
    state.sets.push_back({.object = set, .is_allowed = is_allowed});
    if (is_allowed)
      std::ranges::move(listeners_of(objects, *set, gateway, now), std::back_inserter(state.listeners));
  }
  compare_listeners(state.listeners);
}

}  // namespace

GatewayStates read_gateways(const Objects& objects, const PassContext& context) {
  GatewayStates states;
  states.endpoints = {.permitted = context.endpoint_cidrs,
                      .own_listeners = context.own_listeners,
                      .families = context.families,
                      .max_connections = context.max_connections,
                      .keepalive = context.keepalive};
  for (const Dynamic* object : objects.all("GatewayClass")) {
    if (object->text("spec.controllerName") == controller_name)
      states.classes.push_back(read_class(objects, *object));
  }
  std::map<std::string, const Dynamic*> taken;
  ServicePorts service_ports;
  const auto sets = objects.by_age("ListenerSet");
  for (const Dynamic* object : objects.by_age("Gateway")) {
    const std::string_view name = object->text("spec.gatewayClassName");
    GatewayState state{.object = object, .tracing = context.tracing};
    const auto of_class = std::ranges::find_if(
        states.classes, [&](const ClassState& one) { return one.object->name() == name; });
    if (of_class != states.classes.end()) {
      state.parameters = of_class->parameters;
      if (of_class->refused)
        state.pending = "GatewayClass " + printable(name) + " is not accepted: " + of_class->refused->message;
    } else if (objects.find("GatewayClass", "", name) == nullptr &&
               context.was_ours.contains(object->key())) {
      state.pending = "GatewayClass " + printable(name) + " does not exist";
    } else {
      continue;
    }
    read_own_parameters(objects, state);
    if (!state.refused) read_addresses(context.listed_addresses, state, taken);
    if (const auto found = context.no_capacity.find(object->key()); found != context.no_capacity.end())
      state.refused = state.unusable = found->second;
    state.unresolved = client_certificate_problem(objects, *object, context.now);
    state.has_insecure_clients = lets_anybody_in(*object);
    read_listeners(objects, sets, context.now, state);
    refuse_own_ports(context, state);
    if (const auto front = context.behind_services.find(object->key());
        front != context.behind_services.end())
      read_service(front->second, service_ports, state);
    states.gateways.push_back(std::move(state));
  }
  states.endpoints.gateway_sockets =
      std::make_shared<const GatewaySockets>(served_sockets(objects, context, states));
  std::ranges::move(replica_addresses(objects, states),
                    std::back_inserter(states.endpoints.own_listeners.machine));
  for (GatewayState& state : states.gateways) state.endpoints = states.endpoints;
  return states;
}

}  // namespace fairway::gateway
