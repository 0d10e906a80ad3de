// The answers of Envoys and probes on Gateways and routes, beside what objects make of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/route.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

/// The rules of a route of which Envoys refuse something at a parent: their routes answer 500, or are left
/// out.
struct RefusedRules {
  /// By number, with what Envoys say.
  std::map<std::size_t, std::string> rules = {};
  /// True if nothing else of the route is served there.
  bool is_all = false;
};

/// The answers on one model, by the parts of it that they are about. Without any, all is acknowledged and
/// nothing is probed.
struct Answers {
  using ByPort = std::map<std::int64_t, k8s::ConditionError>;
  /// Ports whose configuration Envoys do not serve as it is now: Pending, or Invalid with Envoy's words.
  std::map<const GatewayState*, ByPort> unprogrammed = {};
  /// Listeners whose certificates Envoys refuse, with Envoy's words.
  std::map<const Listener*, k8s::ConditionError> refused_certificates = {};
  /// The results of probes through a listener, on all of its addresses.
  std::map<const Listener*, Result<void>> probed = {};
  std::map<const ParentState*, RefusedRules> refused_rules = {};

  /// Returns why Envoys do not serve a port of a Gateway; nullptr: they do.
  const k8s::ConditionError* unprogrammed_port(const GatewayState& gateway, std::int64_t port) const;
  /// Returns all ports of a Gateway that Envoys do not serve.
  const ByPort& unprogrammed_ports(const GatewayState& gateway) const;
  /// Returns why Envoys refuse a listener's certificates; nullptr: they do not.
  const k8s::ConditionError* refused_certificate(const Listener& listener) const;
  /// Returns what probes through a listener have shown; nullptr: it is not known.
  const Result<void>* probed_through(const Listener& listener) const;
  /// Returns what Envoys refuse of a route at a parent; nullptr: nothing.
  const RefusedRules* refused_of(const ParentState& parent) const;

  /// Returns whether traffic is known to flow through a listener.
  bool is_ready(const Listener& listener) const;
  /// Returns whether traffic is known to flow through all of a Gateway's own listeners.
  bool is_ready(const GatewayState& gateway) const;
};

}  // namespace fairway::gateway
