#include "gateway/internal/attachment/gateways.h"

#include <algorithm>

#include "base/address_class.h"
#include "base/text.h"
#include "gateway/internal/attachment/served_sockets.h"
#include "gateway/internal/objects/references.h"
#include "gateway/internal/objects/values.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;
using k8s::View;

/// Why Envoy may not listen on an address; std::nullopt: it may. Programs trust who reaches them at the local
/// addresses of their machine, and expect themselves there: none is a tenant's to take.
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
void refuse_own_ports(const Surroundings& surroundings, GatewayState& state) {
  std::vector<std::string> addresses;
  if (surroundings.behind_services.contains(state.object->key())) {
    // What comes to a Service comes to whatever address Envoy has.
    addresses.emplace_back("0.0.0.0");
  } else {
    for (const View& one : state.object->items("spec.addresses")) addresses.emplace_back(one.text("value"));
  }
  for (Listener& listener : state.listeners) {
    if (!listener.is_accepted() || listener.spec.protocol() == "UDP") continue;
    for (const std::string& address : addresses) {
      const OwnListener* own = surroundings.own_listeners.find(address, listener.spec.port());
      if (own == nullptr) continue;
      listener.invalid =
          Problem{"PortUnavailable", "port " + std::to_string(listener.spec.port()) + " of " + address +
                                         " belongs to the controller's own " + own->flag};
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
    state.refused = Problem{"InvalidParameters", parameters.error().message};
  }
  return state;
}

void read_addresses(const AddressPool& listed, GatewayState& state,
                    std::map<std::string, const Dynamic*>& taken) {
  for (const View& address : state.object->items("spec.addresses")) {
    const std::string_view type = address.text("type", "IPAddress");
    const std::string value(address.text("value"));
    if (type != "IPAddress") {
      state.refused = Problem{"UnsupportedAddress", "addresses of the type \"" + printable(type) +
                                                        "\" are not supported; use IPAddress"};
      state.unusable = Problem{"AddressNotUsable", state.refused->message};
      return;
    }
    if (value.empty()) continue;
    if (auto refusal = refusal_of(value, listed)) {
      state.unusable = Problem{"AddressNotUsable", *std::move(refusal)};
      return;
    }
    const auto [owner, is_free] = taken.emplace(canonical_address(value), state.object);
    if (!is_free && owner->second != state.object) {
      // Not whose: it may be in a namespace that this one's users must not see.
      state.unusable = Problem{"AddressNotUsable", "the address " + value + " is that of an older Gateway"};
    }
  }
}

std::optional<Problem> client_certificate_problem(const Objects& objects, const Dynamic& gateway,
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
    state.refused = Problem{"InvalidParameters", parameters.error().message};
  }
}

/// Which Gateway has a port of the Envoys behind Services: by its number, and whether it is one of UDP. One
/// Envoy has one socket for it, whichever Services lead there.
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
      listener.invalid = Problem{"PortUnavailable", service + " has no " + name + " for it"};
      has_others = true;
      continue;
    }
    const auto [owner, is_free] = taken.try_emplace(port, state.object);
    if (owner->second == state.object) {
      has_others = true;
    } else {
      is_crowded_out = true;
      listener.invalid = Problem{"PortUnavailable", name + " of " + service + " is that of an older Gateway"};
    }
  }
  if (is_crowded_out && !has_others && !state.refused)
    state.refused = state.unusable = Problem{"NoResources", "its ports of " + service + " are taken"};
}

/// Whether a ListenerSet's parentRef leads to a Gateway.
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

/// Ready of a listener. `is_held_up`: not by Envoy, so that it is known.
void add_ready(const Listener& listener, bool is_held_up, Verdicts& verdicts) {
  const Verdict programmed = *verdicts.find("Programmed");
  const bool is_pending = programmed.reason == "Pending";
  using enum k8s::ConditionStatus;
  if (programmed.status == is_false && (!is_pending || is_held_up)) {
    verdicts.set_false("Ready", is_pending ? "Pending" : "Invalid", programmed.message);
  } else if (programmed.status != is_true) {
    verdicts.set_unknown("Ready", programmed.message);
  } else if (!listener.probed) {
    verdicts.set_unknown("Ready", "no probe has been answered yet");
  } else if (!*listener.probed) {
    verdicts.set_false("Ready", "Pending", listener.probed->error().message);
  } else {
    verdicts.set_true("Ready", "Ready", "traffic flows");
  }
}

/// Ready of a Gateway, which is that of its own listeners.
void add_ready(const std::vector<ListenerReport>& listeners, Verdicts& verdicts) {
  const Verdict programmed = *verdicts.find("Programmed");
  using enum k8s::ConditionStatus;
  if (programmed.status == is_false && programmed.reason != "Pending") {
    verdicts.set_false("Ready", "ListenersNotReady", programmed.message);
    return;
  }
  const auto find = [&](k8s::ConditionStatus status) {
    return std::ranges::find_if(listeners, [&](const ListenerReport& report) {
      return report.verdicts.find("Ready")->status == status;
    });
  };
  const auto say = [](const ListenerReport& report) {
    return "listener " + printable(report.name) + ": " + report.verdicts.find("Ready")->message;
  };
  if (const auto bad = find(is_false); bad != listeners.end()) {
    verdicts.set_false("Ready", "ListenersNotReady", say(*bad));
  } else if (const auto open = find(unknown); open != listeners.end()) {
    verdicts.set_unknown("Ready", say(*open));
  } else if (programmed.status != is_true) {
    verdicts.set_unknown("Ready", programmed.message);
  } else {
    verdicts.set_true("Ready", "Ready", "traffic flows through all listeners");
  }
}

/// The conditions of old.
void add_deprecated(Level level, Verdicts& verdicts) {
  const Verdict accepted = *verdicts.find("Accepted");
  using enum k8s::ConditionStatus;
  const std::string_view type = level == Level::gateway ? "Scheduled" : "Detached";
  if (accepted.status == unknown) {
    verdicts.set_unknown(type, accepted.message);
  } else if (level == Level::gateway) {
    const bool is_accepted = accepted.status == is_true;
    verdicts.set(type, accepted.status, is_accepted ? "Scheduled" : "NotReconciled", accepted.message);
  } else if (accepted.status == is_true) {
    verdicts.set_false(type, "Attached", accepted.message);
  } else {
    verdicts.set_true(type, "Detached", accepted.message);
  }
}

Verdicts all_unknown(Level level, const std::string& message) {
  Verdicts verdicts(level);
  for (const k8s::ConditionType& type : conditions_of(level).types) {
    if (type.presence == k8s::Presence::always) verdicts.set_unknown(type.name, message);
  }
  return verdicts;
}

/// Which of an owner's listeners are not accepted, and which are, for messages.
std::string describe_listeners(const GatewayState& state, const Dynamic& owner) {
  std::vector<std::string> bad, good;
  for (const Listener& listener : state.listeners) {
    if (listener.owner == &owner)
      (listener.is_accepted() ? good : bad).push_back(printable(listener.spec.name()));
  }
  std::string text = "not accepted: " + (bad.empty() ? "none" : join(bad, ", "));
  if (!good.empty()) text += "; accepted: " + join(good, ", ");
  return text;
}

bool all_accepted(const GatewayState& state, const Dynamic& owner) {
  return std::ranges::all_of(state.listeners, [&](const Listener& listener) {
    return listener.owner != &owner || listener.is_accepted();
  });
}

/// What Envoy refuses of the owner's listeners alone; nullptr: nothing.
const Problem* refused_listener(const GatewayState& state, const Dynamic& owner) {
  for (const Listener& listener : state.listeners) {
    if (listener.owner == &owner && listener.refused_by_envoy) return &*listener.refused_by_envoy;
  }
  return nullptr;
}

/// What Envoy refuses of a port or of a listener of the Gateway itself, or else what it has not acknowledged.
const Problem* worst_port(const GatewayState& state) {
  const Problem* worst = nullptr;
  for (const auto& [port, problem] : state.unprogrammed) {
    if (worst == nullptr || (problem.reason == "Invalid" && worst->reason != "Invalid")) worst = &problem;
  }
  const Problem* const refused = refused_listener(state, *state.object);
  return refused != nullptr && (worst == nullptr || worst->reason != "Invalid") ? refused : worst;
}

Verdicts gateway_verdicts(const GatewayState& state) {
  if (state.pending) return all_unknown(Level::gateway, *state.pending);
  Verdicts verdicts(Level::gateway);
  const std::string listeners = describe_listeners(state, *state.object);
  if (state.refused) {
    verdicts.set_false("Accepted", state.refused->reason, state.refused->message);
  } else if (!state.is_accepted()) {
    verdicts.set_false("Accepted", "ListenersNotValid", "listeners " + listeners);
  } else if (!all_accepted(state, *state.object)) {
    verdicts.set_true("Accepted", "ListenersNotValid", "listeners " + listeners);
  } else {
    verdicts.set_true("Accepted", "Accepted", "all listeners are accepted");
  }
  if (state.unusable) {
    verdicts.set_false("Programmed", state.unusable->reason, state.unusable->message);
  } else if (!state.is_accepted()) {
    verdicts.set_false("Programmed", "Invalid", verdicts.find("Accepted")->message);
  } else if (const Problem* problem = worst_port(state); problem != nullptr) {
    verdicts.set_false("Programmed", problem->reason, problem->message);
  } else {
    verdicts.set_true("Programmed", "Programmed", "Envoy serves this configuration");
  }
  const auto unresolved = std::ranges::find_if(state.listeners, [&](const Listener& listener) {
    return listener.owner == state.object && listener.unresolved;
  });
  if (state.unresolved) {
    verdicts.set_false("ResolvedRefs", state.unresolved->reason, state.unresolved->message);
  } else if (unresolved != state.listeners.end()) {
    verdicts.set_false(
        "ResolvedRefs", "ListenersNotResolved",
        "listener " + printable(unresolved->spec.name()) + ": " + unresolved->unresolved->message);
  } else {
    verdicts.set_true("ResolvedRefs", "ResolvedRefs", "all references are resolved");
  }
  if (state.has_insecure_clients)
    verdicts.set_true("InsecureFrontendValidationMode", "ConfigurationChanged",
                      "clients without a valid certificate are let in");
  return verdicts;
}

Verdicts set_verdicts(const GatewayState& state, const ListenerSetState& set, bool is_programmed) {
  if (state.pending) return all_unknown(Level::listener_set, *state.pending);
  Verdicts verdicts(Level::listener_set);
  const auto refuse = [&](std::string_view accepted, std::string_view programmed,
                          const std::string& message) {
    verdicts.set_false("Accepted", accepted, message);
    verdicts.set_false("Programmed", programmed, message);
  };
  if (!set.is_allowed) {
    refuse("NotAllowed", "NotAllowed", "the Gateway's allowedListeners does not allow this namespace");
  } else if (!state.is_accepted()) {
    refuse("ParentNotAccepted", "ParentNotProgrammed", "the Gateway is not accepted");
  } else if (!state.has_accepted_listener(*set.object)) {
    refuse("ListenersNotValid", "ListenersNotValid", "listeners " + describe_listeners(state, *set.object));
  } else {
    if (all_accepted(state, *set.object)) {
      verdicts.set_true("Accepted", "Accepted", "all listeners are accepted");
    } else {
      verdicts.set_true("Accepted", "ListenersNotValid",
                        "listeners " + describe_listeners(state, *set.object));
    }
    const Problem* const refused = refused_listener(state, *set.object);
    if (is_programmed && refused == nullptr) {
      verdicts.set_true("Programmed", "Programmed", "Envoy serves this configuration");
    } else if (is_programmed) {
      verdicts.set_false("Programmed", "ListenersNotValid", refused->message);
    } else {
      verdicts.set_false("Programmed", "ParentNotProgrammed", "the Gateway is not programmed");
    }
  }
  return verdicts;
}

/// The listeners of an owner as their status shall be.
std::vector<ListenerReport> listener_reports(const GatewayState& state, const Dynamic& owner,
                                             const std::optional<Problem>& held_up) {
  std::vector<ListenerReport> reports;
  for (const Listener& listener : state.listeners) {
    if (listener.owner != &owner) continue;
    const auto port = state.unprogrammed.find(listener.spec.port());
    std::optional<Problem> problem = held_up;
    if (!problem) problem = listener.refused_by_envoy;
    if (!problem && port != state.unprogrammed.end()) problem = port->second;
    Verdicts verdicts =
        state.pending ? all_unknown(Level::listener, *state.pending) : listener_verdicts(listener, problem);
    // A ListenerSet that is refused has no listeners that are not.
    if (&owner != state.object && state.refuses(owner) && listener.is_accepted()) {
      verdicts.set_false("Accepted", "Invalid", "the Gateway is not accepted");
      verdicts.set_false("Programmed", "Invalid", "the Gateway is not accepted");
    }
    if (state.parameters.ready) add_ready(listener, held_up.has_value(), verdicts);
    if (state.parameters.deprecated_conditions) add_deprecated(Level::listener, verdicts);
    reports.push_back({.name = std::string(listener.spec.name()),
                       .kinds = listener.kinds,
                       .attached = listener.attached,
                       .verdicts = std::move(verdicts)});
  }
  return reports;
}

/// Of a ListenerSet that is not among the Gateway's.
std::vector<ListenerReport> refused_reports(const Dynamic& set) {
  std::vector<ListenerReport> reports;
  const std::string message = "the ListenerSet is not allowed on the Gateway";
  for (const ListenerSpec& spec : set.items<ListenerSpec>("spec.listeners")) {
    Verdicts verdicts(Level::listener);
    verdicts.set_false("Accepted", "Invalid", message);
    verdicts.set_false("Programmed", "Invalid", message);
    verdicts.set_unknown("ResolvedRefs", message);
    reports.push_back({.name = std::string(spec.name()), .verdicts = std::move(verdicts)});
  }
  return reports;
}

std::optional<json::Array> reported_addresses(const GatewayState& state) {
  if (state.pending || state.refused || state.unusable) return std::nullopt;
  if (state.service_addresses) {
    // Of a Service that counts as having one, nobody knows which.
    return state.service_addresses->empty() ? std::nullopt : state.service_addresses;
  }
  json::Array addresses;
  for (const View& address : state.object->items("spec.addresses")) {
    const std::string_view value = address.text("value");
    if (value.empty()) return std::nullopt;
    json::Object one;
    one["type"] = "IPAddress";
    one["value"] = value;
    addresses.push_back(std::move(one));
  }
  if (addresses.empty()) return std::nullopt;
  return addresses;
}

}  // namespace

bool GatewayState::has_accepted_listener(const Dynamic& owner) const {
  return std::ranges::any_of(listeners, [&](const Listener& listener) {
    return listener.owner == &owner && listener.is_accepted();
  });
}

bool GatewayState::is_same(const GatewayState& other) const {
  const auto all = [](const GatewayState& one) {
    return std::tie(one.object, one.parameters, one.pending, one.refused, one.unusable, one.unresolved,
                    one.sets, one.has_insecure_clients, one.service_addresses);
  };
  return all(*this) == all(other) &&
         std::ranges::equal(listeners, other.listeners,
                            [](const Listener& a, const Listener& b) { return a.is_same(b); });
}

void GatewayState::forget_answers() {
  unprogrammed.clear();
  for (Listener& listener : listeners) {
    listener.refused_by_envoy.reset();
    listener.probed.reset();
  }
}

bool GatewayStates::are_same(const GatewayStates& other) const {
  return classes == other.classes && endpoints == other.endpoints &&
         std::ranges::equal(gateways, other.gateways,
                            [](const GatewayState& a, const GatewayState& b) { return a.is_same(b); });
}

bool GatewayState::is_ready() const {
  return is_accepted() && !unusable && std::ranges::all_of(listeners, [&](const Listener& listener) {
           return listener.owner != object || listener.is_ready();
         });
}

GatewayStates read_gateways(const Objects& objects, const Surroundings& surroundings) {
  GatewayStates states;
  states.endpoints = {.permitted = surroundings.endpoint_cidrs,
                      .own_listeners = surroundings.own_listeners,
                      .max_connections = surroundings.max_connections};
  for (const Dynamic* object : objects.all("GatewayClass")) {
    if (object->text("spec.controllerName") == controller_name)
      states.classes.push_back(read_class(objects, *object));
  }
  std::map<std::string, const Dynamic*> taken;
  ServicePorts service_ports;
  const auto sets = objects.by_age("ListenerSet");
  for (const Dynamic* object : objects.by_age("Gateway")) {
    const std::string_view name = object->text("spec.gatewayClassName");
    GatewayState state{.object = object, .tracing = surroundings.tracing};
    const auto of_class = std::ranges::find_if(
        states.classes, [&](const ClassState& one) { return one.object->name() == name; });
    if (of_class != states.classes.end()) {
      state.parameters = of_class->parameters;
      if (of_class->refused)
        state.pending = "GatewayClass " + printable(name) + " is not accepted: " + of_class->refused->message;
    } else if (objects.find("GatewayClass", "", name) == nullptr &&
               surroundings.was_ours.contains(object->key())) {
      state.pending = "GatewayClass " + printable(name) + " does not exist";
    } else {
      continue;
    }
    read_own_parameters(objects, state);
    if (!state.refused) read_addresses(surroundings.listed_addresses, state, taken);
    if (const auto found = surroundings.no_capacity.find(object->key());
        found != surroundings.no_capacity.end())
      state.refused = state.unusable = found->second;
    state.unresolved = client_certificate_problem(objects, *object, surroundings.now);
    state.has_insecure_clients = lets_anybody_in(*object);
    read_listeners(objects, sets, surroundings.now, state);
    refuse_own_ports(surroundings, state);
    if (const auto front = surroundings.behind_services.find(object->key());
        front != surroundings.behind_services.end())
      read_service(front->second, service_ports, state);
    states.gateways.push_back(std::move(state));
  }
  states.endpoints.gateway_sockets =
      std::make_shared<const GatewaySockets>(served_sockets(objects, surroundings, states));
  std::ranges::move(replica_addresses(objects, states),
                    std::back_inserter(states.endpoints.own_listeners.machine));
  for (GatewayState& state : states.gateways) state.endpoints = states.endpoints;
  return states;
}

void report_gateways(const GatewayStates& states, std::vector<Report>& reports) {
  for (const ClassState& state : states.classes) {
    Verdicts verdicts(Level::gateway_class);
    if (state.refused) {
      verdicts.set_false("Accepted", state.refused->reason, state.refused->message);
    } else {
      verdicts.set_true("Accepted", "Accepted", "the class is served");
    }
    reports.push_back(
        {.object = state.object, .own = std::move(verdicts), .has_features = !state.refused.has_value()});
  }
  for (const GatewayState& state : states.gateways) {
    Verdicts verdicts = gateway_verdicts(state);
    const bool is_programmed = verdicts.is_true("Programmed");
    std::optional<Problem> held_up;
    if (!state.pending && (state.unusable || !state.is_accepted()))
      held_up = Problem{"Pending", "the Gateway is not programmed: " + verdicts.find("Programmed")->message};
    auto own_listeners = listener_reports(state, *state.object, held_up);
    if (state.parameters.ready) add_ready(own_listeners, verdicts);
    if (state.parameters.deprecated_conditions) add_deprecated(Level::gateway, verdicts);
    int attached_sets = 0;
    for (const ListenerSetState& set : state.sets) {
      Verdicts own = set_verdicts(state, set, is_programmed);
      attached_sets += own.is_true("Accepted") ? 1 : 0;
      reports.push_back({.object = set.object,
                         .own = std::move(own),
                         .listeners = set.is_allowed ? listener_reports(state, *set.object, held_up)
                                                     : refused_reports(*set.object)});
    }
    reports.push_back({.object = state.object,
                       .own = std::move(verdicts),
                       .listeners = std::move(own_listeners),
                       .attached_sets = attached_sets,
                       .addresses = reported_addresses(state)});
  }
}

}  // namespace fairway::gateway
