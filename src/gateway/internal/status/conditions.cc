// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/conditions.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace fairway::gateway {

namespace {

using enum Level;
using enum k8s::ConditionStatus;

constexpr std::string_view gep = "GEP-1364";
constexpr std::string_view api = "API v1.7.0";
constexpr std::string_view suite = "conformance suite v1.7.0";
constexpr std::string_view own = "Fairway";

constexpr ConditionRow rows[] = {
    {gateway_class, "Accepted", is_true, "Accepted", "The class is served.", gep},
    {gateway_class, "Accepted", is_false, "InvalidParameters",
     "Its parametersRef leads to no GatewayParameters, or to one that has an unknown key or a wrong value.",
     api},
    {gateway_class, "Accepted", unknown, "Pending", "The controller has not seen the object yet.", gep},

    {gateway, "Accepted", is_true, "Accepted", "All listeners are accepted.", gep},
    {gateway, "Accepted", is_true, "ListenersNotValid", "Some listeners are accepted, some are not.", api},
    {gateway, "Accepted", is_false, "ListenersNotValid", "No listener is accepted.", api},
    {gateway, "Accepted", is_false, "InvalidParameters",
     "infrastructure.parametersRef leads to no GatewayParameters that can be used.", api},
    {gateway, "Accepted", is_false, "UnsupportedAddress",
     "An address is of a type other than IPAddress, or has a routability.", api},
    {gateway, "Accepted", is_false, "AddressNotAssigned", "No address is left for it.",
     "GEP-1364, capacity that does not exist"},
    {gateway, "Accepted", is_false, "NoResources", "The data plane has no room for it: its ports are taken.",
     "GEP-1364, capacity that does not exist"},
    {gateway, "Accepted", unknown, "Pending", "Its class is not accepted, or does not exist any more.", own},
    {gateway, "ResolvedRefs", is_true, "ResolvedRefs",
     "All references of the Gateway and of its listeners lead to objects that can be used.", api},
    {gateway, "ResolvedRefs", is_false, "InvalidClientCertificateRef",
     "tls.backend.clientCertificateRef leads to no Secret with a certificate and its key.", api},
    {gateway, "ResolvedRefs", is_false, "RefNotPermitted",
     "tls.backend.clientCertificateRef leads into another namespace without a ReferenceGrant.", api},
    {gateway, "ResolvedRefs", is_false, "ListenersNotResolved", "ResolvedRefs of a listener is False.", api},
    {gateway, "ResolvedRefs", unknown, "Pending", "Its class is not accepted, or does not exist any more.",
     own},
    {gateway, "Programmed", is_true, "Programmed",
     "Envoy has acknowledged the configuration of this generation, and the addresses are assigned.", gep},
    {gateway, "Programmed", is_false, "Invalid",
     "It is not accepted: there is nothing to configure; or Envoy has refused the configuration, and says "
     "why.",
     api},
    {gateway, "Programmed", is_false, "Pending",
     "Not every Envoy has acknowledged the configuration yet, or none is connected.", api},
    {gateway, "Programmed", is_false, "AddressNotAssigned", "No address is left for it.", api},
    {gateway, "Programmed", is_false, "AddressNotUsable",
     "An address that it asks for is no unicast address, is another Gateway's, is of an unsupported type or "
     "routability, or is a loopback or link-local one that the administrator has not listed (--addresses).",
     api},
    {gateway, "Programmed", is_false, "NoResources",
     "The data plane has no room for it: its ports are taken.", api},
    {gateway, "Programmed", unknown, "Pending", "Its class is not accepted, or does not exist any more.",
     gep},
    {gateway, "InsecureFrontendValidationMode", is_true, "ConfigurationChanged",
     "tls.frontend has AllowInsecureFallback: clients without a valid certificate are let in.", api},
    {gateway, "Ready", is_true, "Ready",
     "All of its own listeners are ready: a probe through each has been answered by this configuration, and "
     "nothing has been sent to Envoy since.",
     "GEP-1364, Ready (opt-in)"},
    {gateway, "Ready", is_false, "ListenersNotReady",
     "It is not accepted, has no address that can be used, or Ready of a listener is False.", api},
    {gateway, "Ready", unknown, "Pending",
     "Ready of a listener is Unknown. It becomes so before Envoy is given what changes a listener.",
     "GEP-1364, Ready (opt-in)"},
    {gateway, "Scheduled", is_true, "Scheduled", "Accepted is True (deprecated, on request).", api},
    {gateway, "Scheduled", is_false, "NotReconciled", "Accepted is False (deprecated, on request).", api},
    {gateway, "Scheduled", unknown, "Pending", "Accepted is Unknown (deprecated, on request).", api},

    {listener_set, "Accepted", is_true, "Accepted", "All listeners are accepted.", gep},
    {listener_set, "Accepted", is_true, "ListenersNotValid", "Some listeners are accepted, some are not.",
     api},
    {listener_set, "Accepted", is_false, "ListenersNotValid", "No listener is accepted.", api},
    {listener_set, "Accepted", is_false, "NotAllowed",
     "The Gateway's allowedListeners does not allow its namespace.", api},
    {listener_set, "Accepted", is_false, "ParentNotAccepted", "The Gateway is not accepted.", api},
    {listener_set, "Accepted", unknown, "Pending",
     "The Gateway's class is not accepted, or does not exist any more.", own},
    {listener_set, "Programmed", is_true, "Programmed", "Envoy has acknowledged the configuration.", gep},
    {listener_set, "Programmed", is_false, "ListenersNotValid", "No listener is accepted.", api},
    {listener_set, "Programmed", is_false, "NotAllowed",
     "The Gateway's allowedListeners does not allow its namespace.", suite},
    {listener_set, "Programmed", is_false, "ParentNotProgrammed", "The Gateway is not programmed.", api},
    {listener_set, "Programmed", unknown, "Pending",
     "The Gateway's class is not accepted, or does not exist any more.", own},

    {listener, "Accepted", is_true, "Accepted", "It is valid, and no other listener is in conflict with it.",
     gep},
    {listener, "Accepted", is_false, "UnsupportedProtocol",
     "Its protocol is none of HTTP, HTTPS, TLS, TCP, UDP.", api},
    {listener, "Accepted", is_false, "UnsupportedValue",
     "A value is not understood or not supported: hostname, TLS mode, one of tls.options, tls beside a "
     "protocol without TLS, or filters.",
     api},
    {listener, "Accepted", is_false, "PortUnavailable",
     "Its port is not valid, is taken, or is one that the controller itself listens on.", api},
    {listener, "Accepted", is_false, "InvalidCertificateRef",
     "A certificate is missing or malformed, does not belong to its key, or is one that Envoy does not "
     "accept.",
     "GEP-1364, any specified TLS secrets exist"},
    {listener, "Accepted", is_false, "RefNotPermitted",
     "A certificate is in another namespace without a ReferenceGrant.",
     "GEP-1364, any specified TLS secrets exist"},
    {listener, "Accepted", is_false, "NoValidCACertificate",
     "None of the CA certificates for clients can be used.", api},
    {listener, "Accepted", is_false, "HostnameConflict",
     "Another listener has the same port and hostname: neither is accepted; between a Gateway and "
     "ListenerSets only that of lower precedence is not.",
     suite},
    {listener, "Accepted", is_false, "ProtocolConflict",
     "Another listener has the same port and a protocol that cannot share it (as HostnameConflict).", suite},
    {listener, "Accepted", is_false, "Invalid", "Its ListenerSet is not allowed, or not accepted.", api},
    {listener, "Accepted", unknown, "Pending", "The class is not accepted, or does not exist any more.", own},
    {listener, "ResolvedRefs", is_true, "ResolvedRefs", "All references lead to objects that can be used.",
     gep},
    {listener, "ResolvedRefs", is_false, "InvalidCertificateRef",
     "A certificate is missing or malformed, does not belong to its key, or is one that Envoy does not "
     "accept.",
     api},
    {listener, "ResolvedRefs", is_false, "RefNotPermitted",
     "A certificate, of the listener or of a CA, is in another namespace without a ReferenceGrant.", api},
    {listener, "ResolvedRefs", is_false, "InvalidRouteKinds",
     "allowedRoutes.kinds names a kind that the protocol does not have.", api},
    {listener, "ResolvedRefs", is_false, "InvalidCACertificateRef",
     "A CA certificate for clients is missing or malformed.", api},
    {listener, "ResolvedRefs", is_false, "InvalidCACertificateKind",
     "A CA certificate for clients is of a kind other than ConfigMap, Secret and ClusterTrustBundle.", api},
    {listener, "ResolvedRefs", unknown, "Pending", "The class or the ListenerSet is not accepted.", own},
    {listener, "Programmed", is_true, "Programmed", "Envoy has acknowledged the configuration.", gep},
    {listener, "Programmed", is_false, "Invalid",
     "It is not accepted; or Envoy has refused the configuration of its port, or its certificate, and says "
     "why.",
     api},
    {listener, "Programmed", is_false, "HostnameConflict", "As for Accepted.", suite},
    {listener, "Programmed", is_false, "ProtocolConflict", "As for Accepted.", suite},
    {listener, "Programmed", is_false, "Pending",
     "The Gateway is not programmed, or the configuration of its port has not been acknowledged yet.", api},
    {listener, "Programmed", unknown, "Pending", "The class is not accepted, or does not exist any more.",
     gep},
    {listener, "Conflicted", is_true, "HostnameConflict", "As for Accepted.", api},
    {listener, "Conflicted", is_true, "ProtocolConflict", "As for Accepted.", api},
    {listener, "OverlappingTLSConfig", is_true, "OverlappingHostnames",
     "Another listener with TLS on the same port has a hostname that covers this one's, or is covered by it.",
     api},
    {listener, "OverlappingTLSConfig", is_true, "OverlappingCertificates",
     "The certificate of another listener on the same port is valid for names of this one's.", api},
    {listener, "fairway.dev/CertificateExpired", is_true, "Expired",
     "A certificate is not valid at this time. It is served all the same.", own},
    {listener, "Ready", is_true, "Ready",
     "A probe through it has been answered by this configuration on each address, after Envoy has "
     "acknowledged it.",
     "GEP-1364, Ready (opt-in)"},
    {listener, "Ready", is_false, "Invalid", "It is not accepted, or Envoy has refused its configuration.",
     api},
    {listener, "Ready", is_false, "Pending",
     "The Gateway is not programmed; or three probes in a row were not answered, and the message says why.",
     api},
    {listener, "Ready", unknown, "Pending",
     "No probe has been answered yet, or Envoy has not acknowledged the configuration. It becomes so before "
     "Envoy is given what changes the listener.",
     "GEP-1364, Ready (opt-in)"},
    {listener, "Detached", is_false, "Attached", "Accepted is True (deprecated, on request).", api},
    {listener, "Detached", is_true, "Detached", "Accepted is False (deprecated, on request).", own},
    {listener, "Detached", unknown, "Pending", "Accepted is Unknown (deprecated, on request).", own},

    {route, "Accepted", is_true, "Accepted", "At least one rule is served on at least one listener.", gep},
    {route, "Accepted", is_false, "NoMatchingParent",
     "No listener has the parentRef's sectionName and port, or those that have them are in conflict.", api},
    {route, "Accepted", is_false, "NotAllowedByListeners",
     "No such listener allows the route's kind and namespace, or an older route of the other kind has its "
     "hostnames there.",
     api},
    {route, "Accepted", is_false, "NoMatchingListenerHostname",
     "No such listener has hostnames in common with the route.", api},
    {route, "Accepted", is_false, "IncompatibleFilters",
     "Each rule has filters that exclude each other: a redirect beside a rewrite.", api},
    {route, "Accepted", is_false, "UnsupportedValue",
     "Each rule, or a hostname, has a value that is not understood or that Envoy would refuse; or Envoy has "
     "refused each rule: the message has its words, and requests for them are answered with 500, unless "
     "Envoy refuses what the rule is for.",
     api},
    {route, "Accepted", is_false, "BackendNotFound",
     "TCPRoute and UDPRoute: no backend of the first rule that has a weight exists: there is nothing to "
     "configure.",
     "GEP-1364, TCPRoute without existing backends"},
    {route, "Accepted", is_false, "ParentNotAccepted",
     "The Gateway itself is not accepted, listeners apart, or the parent is a ListenerSet of one that is "
     "not: "
     "there is nothing to configure.",
     "GEP-1364, Accepted: enough to generate some configuration"},
    {route, "Accepted", unknown, "Pending",
     "The Gateway's class is not accepted, or does not exist any more.", own},
    {route, "ResolvedRefs", is_true, "ResolvedRefs", "All references lead to objects that can be used.", gep},
    {route, "ResolvedRefs", is_false, "BackendNotFound",
     "A Service, or its port, is not there, or the reference names no port.", gep},
    {route, "ResolvedRefs", is_false, "RefNotPermitted",
     "A backend is in another namespace without a ReferenceGrant.", gep},
    {route, "ResolvedRefs", is_false, "InvalidKind",
     "A backend is no Service that can be used, or a filter is an ExtensionRef, of which none is supported.",
     gep},
    {route, "ResolvedRefs", is_false, "UnsupportedProtocol",
     "The Service's port has a protocol that the route cannot speak.", api},
    {route, "ResolvedRefs", unknown, "Pending", "The controller has not seen the object yet.", gep},
    {route, "PartiallyInvalid", is_true, "UnsupportedValue",
     "Some rules are valid and served, the others are not: the message begins with Dropped Rule. Their "
     "requests are answered with an error (500 or 503), unless it is the match of a rule that is not "
     "understood or that Envoy refuses. If Envoy refuses a rule, the message has its words.",
     api},

    {route, "fairway.dev/EndpointsLeftOut", is_true, "RefusedAddress",
     "Endpoints of a backend are loopback, link-local, multicast, broadcast or unspecified addresses that "
     "the "
     "administrator has not permitted (--endpoint-cidrs), or ports of the controller itself: Envoy is led to "
     "the others alone.",
     own},

    {policy, "Accepted", is_true, "Accepted", "It is applied to its targets.", gep},
    {policy, "Accepted", is_false, "Conflicted", "An older policy has the same target.", api},
    {policy, "Accepted", is_false, "Invalid",
     "wellKnownCACertificates, hostname or one of options is not understood.", api},
    {policy, "Accepted", is_false, "TargetNotFound", "No target exists.", api},
    {policy, "Accepted", is_false, "NoValidCACertificate", "None of its CA certificates can be used.", api},
    {policy, "Accepted", unknown, "Pending", "The controller has not seen the object yet.", gep},
    {policy, "ResolvedRefs", is_true, "ResolvedRefs", "All references lead to objects that can be used.",
     gep},
    {policy, "ResolvedRefs", is_false, "InvalidCACertificateRef", "A CA certificate is missing or malformed.",
     api},
    {policy, "ResolvedRefs", is_false, "InvalidKind",
     "A CA certificate is of a kind other than ConfigMap, Secret and ClusterTrustBundle.", api},
    {policy, "ResolvedRefs", unknown, "Pending", "The controller has not seen the object yet.", gep},
};

struct LevelNames {
  Level level;
  std::string_view title, where;
};

constexpr LevelNames levels[] = {
    {gateway_class, "GatewayClass", "status.conditions"},
    {gateway, "Gateway", "status.conditions"},
    {listener_set, "ListenerSet", "status.conditions"},
    {listener, "Listener of a Gateway, entry of a ListenerSet", "status.listeners[].conditions"},
    {route, "HTTPRoute, GRPCRoute, TLSRoute, TCPRoute, UDPRoute", "status.parents[].conditions"},
    {policy, "BackendTLSPolicy", "status.ancestors[].conditions"},
};

/// Returns when a condition is present: summaries always, conditions on request once they are decided, and
/// errors while they are true.
k8s::Presence presence_of(std::string_view type) {
  if (type == "Accepted" || type == "ResolvedRefs" || type == "Programmed") return k8s::Presence::always;
  if (type == "Ready" || type == "Scheduled" || type == "Detached") return k8s::Presence::when_decided;
  return k8s::Presence::while_true;
}

k8s::ConditionPolicy make_policy(Level level) {
  k8s::ConditionPolicy made;
  for (const ConditionRow& row : rows) {
    if (row.level != level || made.find(row.type) != nullptr) continue;
    const k8s::Presence presence = presence_of(row.type);
    const bool is_error = presence == k8s::Presence::while_true || row.type == "Detached";
    made.types.push_back({.name = std::string(row.type),
                          .polarity = is_error ? k8s::Polarity::negative : k8s::Polarity::positive,
                          .presence = presence});
  }
  return made;
}

std::string_view presence_text(k8s::Presence presence) {
  switch (presence) {
    case k8s::Presence::always:
      return "always there";
    case k8s::Presence::while_true:
      return "only while True";
    case k8s::Presence::when_decided:
      return "on request";
  }
  return "";
}

}  // namespace

std::span<const ConditionRow> condition_table() {
  return rows;
}

const k8s::ConditionPolicy& conditions_of(Level level) {
  static const std::map<Level, k8s::ConditionPolicy> policies = [] {
    std::map<Level, k8s::ConditionPolicy> made;
    for (const LevelNames& names : levels) made.emplace(names.level, make_policy(names.level));
    return made;
  }();
  return policies.at(level);
}

std::string conditions_page() {
  std::string out =
      "# Conditions of Gateway API\n"
      "\n"
      "What each condition that `fairway gateway` writes means, and when it has which reason. To find out "
      "why a route or a\n"
      "Gateway is not served, begin with [gateway.md](gateway.md#find-out-why-a-route-is-not-served).\n"
      "\n"
      "Look at the conditions of your objects, and find the type and the reason in the tables below:\n"
      "\n"
      "```console\n"
      "$ echo '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway},\n"
      ">   spec: {controllerName: fairway.dev/gateway, parametersRef: {group: fairway.dev, kind: "
      "GatewayParameters,\n"
      ">   name: web, namespace: shop}}}' | fairway gateway check -f -\n"
      "OBJECT                OF  CONDITION  STATUS  REASON             MESSAGE\n"
      "GatewayClass fairway      Accepted   False   InvalidParameters  GatewayParameters shop/web does not "
      "exist\n"
      "```\n"
      "\n"
      "```sh\n"
      "kubectl -n shop get gateway web -o jsonpath='{range .status.conditions[*]}{.type}={.status} "
      "{.reason}: {.message}{\"\\n\"}{end}'\n"
      "```\n"
      "\n"
      "| second column | |\n"
      "|---|---|\n"
      "| always there | The object has this condition as soon as the controller has seen it |\n"
      "| only while True | An error or a warning. The condition is absent while there is nothing to tell |\n"
      "| on request | Only with `ready` or `deprecatedConditions` in the "
      "[parameters](gateway-reference.md#parameters) |\n"
      "\n"
      "The last column says where the rule comes from: GEP-1364 (status and conditions), the documentation "
      "of the API (v1.7.0), its\n"
      "conformance suite, or Fairway.\n"
      "\n"
      "- `observedGeneration` is the generation of the object that the condition is about. If a condition is "
      "about a newer\n"
      "  generation than the controller knows, it stays as it is.\n"
      "- `lastTransitionTime` changes only when `status` does.\n"
      "- Routes have no Programmed. ReferenceGrant has no status.\n";
  for (const LevelNames& names : levels) {
    out += "\n## " + std::string(names.title) + "\n\n`" + std::string(names.where) + "`\n\n";
    out += "| condition | | status | reason | when | rule |\n|---|---|---|---|---|---|\n";
    for (const ConditionRow& row : rows) {
      if (row.level != names.level) continue;
      out += "| " + std::string(row.type) + " | " + std::string(presence_text(presence_of(row.type))) +
             " | " + std::string(to_string(row.status)) + " | " + std::string(row.reason) + " | " +
             std::string(row.when) + " | " + std::string(row.rule) + " |\n";
    }
  }
  out +=
      "\n## Why it works this way\n\nThis page is written from the table by which the code sets conditions "
      "(`src/gateway/internal/status/conditions.cc`), so that it\n"
      "cannot lag behind: `FAIRWAY_UPDATE_GOLDEN=1 ./dev test gateway` writes it anew. "
      "[decisions-gateway.md](decisions-gateway.md) has the\ndecisions.\n";
  return out;
}

void Verdicts::set(std::string_view type, k8s::ConditionStatus status, std::string_view reason,
                   std::string_view message) {
  const bool is_known = std::ranges::any_of(rows, [&](const ConditionRow& row) {
    return row.level == level_ && row.type == type && row.status == status && row.reason == reason;
  });
  if (!is_known) {
    throw std::logic_error("the table of conditions has no line " + std::string(type) + "=" +
                           std::string(to_string(status)) + " " + std::string(reason));
  }
  Verdict verdict{std::string(type), status, std::string(reason), std::string(message)};
  const auto there = std::ranges::find(all_, type, &Verdict::type);
  if (there != all_.end()) {
    *there = std::move(verdict);
  } else {
    all_.push_back(std::move(verdict));
  }
}

const Verdict* Verdicts::find(std::string_view type) const {
  const auto found = std::ranges::find(all_, type, &Verdict::type);
  return found != all_.end() ? &*found : nullptr;
}

bool Verdicts::is_true(std::string_view type) const {
  const Verdict* verdict = find(type);
  return verdict != nullptr && verdict->status == k8s::ConditionStatus::is_true;
}

void Verdicts::write(k8s::Conditions& conditions) const {
  for (const k8s::ConditionType& type : conditions_of(level_).types) {
    const Verdict* verdict = find(type.name);
    if (verdict == nullptr) {
      if (type.presence != k8s::Presence::always) conditions.clear(type.name);
    } else if (verdict->status == k8s::ConditionStatus::is_true) {
      conditions.set_true(type.name, verdict->reason, verdict->message);
    } else if (verdict->status == k8s::ConditionStatus::is_false) {
      conditions.set_false(type.name, verdict->reason, verdict->message);
    } else {
      conditions.unknown(type.name, verdict->reason, verdict->message);
    }
  }
}

}  // namespace fairway::gateway
