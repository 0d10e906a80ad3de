// SPDX-License-Identifier: Apache-2.0

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

/// The rules of a route that Envoys refuse at a parent, at least in part: their Envoy routes answer 500, or
/// are left out.
struct RefusedRules {
  /// Envoy's messages, by the number of the rule.
  std::map<std::size_t, std::string> rules = {};
  /// True if nothing of the route is served there.
  bool is_all = false;
};

/// The answers on one model, by its parts. An empty value means that all is acknowledged and nothing is
/// probed.
struct Answers {
  using ByPort = std::map<std::int64_t, k8s::ConditionError>;
  /// Ports whose current configuration Envoys do not serve: Pending, or Invalid with Envoy's message.
  std::map<const GatewayState*, ByPort> unprogrammed = {};
  /// Listeners whose certificates Envoys refuse, with Envoy's message.
  std::map<const Listener*, k8s::ConditionError> refused_certificates = {};
  /// The results of probes through a listener, on all of its addresses.
  std::map<const Listener*, Result<void>> probed = {};
  std::map<const ParentState*, RefusedRules> refused_rules = {};

  /// Returns the reason why Envoys do not serve a port of a Gateway; nullptr: they serve it.
  const k8s::ConditionError* unprogrammed_port(const GatewayState& gateway, std::int64_t port) const;
  /// Returns all ports of a Gateway that Envoys do not serve.
  const ByPort& unprogrammed_ports(const GatewayState& gateway) const;
  /// Returns the reason why Envoys refuse a listener's certificates; nullptr: they do not.
  const k8s::ConditionError* refused_certificate(const Listener& listener) const;
  /// Returns the result of probes through a listener; nullptr: it is not known.
  const Result<void>* probed_through(const Listener& listener) const;
  /// Returns the rules of a route that Envoys refuse at a parent; nullptr: there are none.
  const RefusedRules* refused_of(const ParentState& parent) const;

  /// Returns whether traffic is known to flow through a listener.
  bool is_ready(const Listener& listener) const;
  /// Returns whether traffic is known to flow through all of a Gateway's own listeners.
  bool is_ready(const GatewayState& gateway) const;
};

}  // namespace fairway::gateway
