// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/gateway_reports.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

namespace {

using k8s::ConditionError;
using k8s::Dynamic;
using k8s::View;

/// Returns the verdicts on a listener. `held_up`: the reason why it is not programmed although it is
/// accepted: Pending, or Invalid if Envoy refuses it.
Verdicts listener_verdicts(const Listener& listener, const std::optional<ConditionError>& held_up) {
  Verdicts verdicts(Level::listener);
  if (listener.conflict) {
    verdicts.set_false("Accepted", listener.conflict->reason, listener.conflict->message);
    verdicts.set_false("Programmed", listener.conflict->reason, listener.conflict->message);
    verdicts.set_true("Conflicted", listener.conflict->reason, listener.conflict->message);
  } else if (listener.invalid) {
    verdicts.set_false("Accepted", listener.invalid->reason, listener.invalid->message);
    verdicts.set_false("Programmed", "Invalid", listener.invalid->message);
  } else {
    verdicts.set_true("Accepted", "Accepted", "the listener is valid");
    if (held_up) {
      verdicts.set_false("Programmed", held_up->reason, held_up->message);
    } else {
      verdicts.set_true("Programmed", "Programmed", "Envoy serves this configuration");
    }
  }
  if (listener.unresolved) {
    verdicts.set_false("ResolvedRefs", listener.unresolved->reason, listener.unresolved->message);
  } else {
    verdicts.set_true("ResolvedRefs", "ResolvedRefs", "all references are resolved");
  }
  if (listener.overlap)
    verdicts.set_true("OverlappingTLSConfig", listener.overlap->reason, listener.overlap->message);
  if (listener.expired)
    verdicts.set_true("fairway.dev/CertificateExpired", listener.expired->reason, listener.expired->message);
  return verdicts;
}

/// Adds Ready of a listener. `shown`: the result of probes through it; nullptr: it is not known.
/// `is_held_up`: something other than Envoy keeps it from being programmed, so that it is known not to be
/// ready.
void add_ready(const Result<void>* shown, bool is_held_up, Verdicts& verdicts) {
  const Verdict programmed = *verdicts.find("Programmed");
  const bool is_pending = programmed.reason == "Pending";
  using enum k8s::ConditionStatus;
  if (programmed.status == is_false && (!is_pending || is_held_up)) {
    verdicts.set_false("Ready", is_pending ? "Pending" : "Invalid", programmed.message);
  } else if (programmed.status != is_true) {
    verdicts.set_unknown("Ready", programmed.message);
  } else if (shown == nullptr) {
    verdicts.set_unknown("Ready", "no probe has been answered yet");
  } else if (!*shown) {
    verdicts.set_false("Ready", "Pending", shown->error().message);
  } else {
    verdicts.set_true("Ready", "Ready", "traffic flows");
  }
}

/// Adds Ready of a Gateway, which is that of its own listeners.
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

/// Adds the deprecated conditions.
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

/// Describes for messages which of an owner's listeners are accepted, and which are not.
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

/// Returns the first certificate of an owner's listeners that Envoy refuses; nullptr: it refuses none.
const ConditionError* refused_listener(const GatewayState& state, const Answers& answers,
                                       const Dynamic& owner) {
  for (const Listener& listener : state.listeners) {
    if (listener.owner != &owner) continue;
    if (const ConditionError* const refused = answers.refused_certificate(listener)) return refused;
  }
  return nullptr;
}

/// Returns what Envoy refuses of a port, or of a listener of the Gateway itself, or else what it has not
/// acknowledged; nullptr: nothing.
const ConditionError* worst_port(const GatewayState& state, const Answers& answers) {
  const ConditionError* worst = nullptr;
  for (const auto& [port, problem] : answers.unprogrammed_ports(state)) {
    if (worst == nullptr || (problem.reason == "Invalid" && worst->reason != "Invalid")) worst = &problem;
  }
  const ConditionError* const refused = refused_listener(state, answers, *state.object);
  return refused != nullptr && (worst == nullptr || worst->reason != "Invalid") ? refused : worst;
}

Verdicts gateway_verdicts(const GatewayState& state, const Answers& answers) {
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
  } else if (const ConditionError* problem = worst_port(state, answers); problem != nullptr) {
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

Verdicts set_verdicts(const GatewayState& state, const Answers& answers, const ListenerSetState& set,
                      bool is_programmed) {
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
    const ConditionError* const refused = refused_listener(state, answers, *set.object);
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

/// Returns the reports on the listeners of an owner.
std::vector<ListenerReport> listener_reports(const GatewayState& state, const Answers& answers,
                                             const Dynamic& owner,
                                             const std::optional<ConditionError>& held_up) {
  std::vector<ListenerReport> reports;
  for (const Listener& listener : state.listeners) {
    if (listener.owner != &owner) continue;
    std::optional<ConditionError> problem = held_up;
    const ConditionError* said = answers.refused_certificate(listener);
    if (said == nullptr) said = answers.unprogrammed_port(state, listener.spec.port());
    if (!problem && said != nullptr) problem = *said;
    Verdicts verdicts =
        state.pending ? all_unknown(Level::listener, *state.pending) : listener_verdicts(listener, problem);
    // A ListenerSet that is refused has no listeners that are not.
    if (&owner != state.object && state.refuses(owner) && listener.is_accepted()) {
      verdicts.set_false("Accepted", "Invalid", "the Gateway is not accepted");
      verdicts.set_false("Programmed", "Invalid", "the Gateway is not accepted");
    }
    if (state.parameters.ready) add_ready(answers.probed_through(listener), held_up.has_value(), verdicts);
    if (state.parameters.deprecated_conditions) add_deprecated(Level::listener, verdicts);
    reports.push_back({.name = std::string(listener.spec.name()),
                       .kinds = listener.kinds,
                       .attached = listener.attached,
                       .verdicts = std::move(verdicts)});
  }
  return reports;
}

/// Returns the reports on the listeners of a ListenerSet that the Gateway does not allow.
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

void report_gateways(const GatewayStates& states, const Answers& answers, std::vector<Report>& reports) {
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
    Verdicts verdicts = gateway_verdicts(state, answers);
    const bool is_programmed = verdicts.is_true("Programmed");
    std::optional<ConditionError> held_up;
    if (!state.pending && (state.unusable || !state.is_accepted()))
      held_up =
          ConditionError{"Pending", "the Gateway is not programmed: " + verdicts.find("Programmed")->message};
    auto own_listeners = listener_reports(state, answers, *state.object, held_up);
    if (state.parameters.ready) add_ready(own_listeners, verdicts);
    if (state.parameters.deprecated_conditions) add_deprecated(Level::gateway, verdicts);
    int attached_sets = 0;
    for (const ListenerSetState& set : state.sets) {
      Verdicts own = set_verdicts(state, answers, set, is_programmed);
      attached_sets += own.is_true("Accepted") ? 1 : 0;
      reports.push_back({.object = set.object,
                         .own = std::move(own),
                         .listeners = set.is_allowed ? listener_reports(state, answers, *set.object, held_up)
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
