// SPDX-License-Identifier: Apache-2.0

// The ports of a Gateway, with what is served on them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/route.h"
#include "gateway/internal/translation/envoy_matches.h"

namespace fairway::gateway {

/// A route on a listener, and its Envoy routes if it is an HTTPRoute or a GRPCRoute.
struct ServedRoute {
  const RouteState* route = nullptr;
  const Attachment* attachment = nullptr;
  std::shared_ptr<const std::vector<EnvoyRoute>> routes = {};
};

/// One port of a Gateway: its accepted listeners and, behind them, those that are refused and keep their
/// hostnames (`Listener::is_guarded`); the routes of the former, the oldest first.
struct Port {
  const GatewayState* gateway = nullptr;
  std::int64_t number = 0;
  std::vector<const Listener*> listeners = {};
  std::vector<ServedRoute> served = {};
  /// The address that this is a port of; empty: all addresses of the machine.
  std::string address = {};

  /// Returns the listener for a hostname: the narrowest of those that cover it.
  const Listener* owner_of(std::string_view hostname) const;
};

}  // namespace fairway::gateway
