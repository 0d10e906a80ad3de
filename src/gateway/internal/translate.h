// Translation: Envoy's configuration of Gateways and routes, as canonical JSON. HTTP listeners with their
// HTTPRoutes so far.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "base/json.h"
#include "gateway/internal/gateways.h"
#include "gateway/internal/objects.h"
#include "gateway/internal/routes.h"

namespace fairway::gateway {

/// Resources of Envoy's v3 API by name: what is in them depends on the objects alone, in any order.
struct Translation {
  /// LDS: one for each Gateway and port, `shop/web:80`. Its routes come by RDS under the same name.
  std::map<std::string, json::Object> listeners;
  /// RDS. Each hostname of a listener is a virtual host: of listeners that have it the most specific.
  std::map<std::string, json::Object> routes;
  /// CDS, with endpoints: one for each port of a Service that has any, `shop/cart:80`.
  std::map<std::string, json::Object> clusters;
};

/// What has been accepted, of Gateways whose configuration can be served. Backends that do not exist, are not
/// permitted or have no endpoints lead to a cluster that is never there, and so to 500.
Translation translate(const Objects& objects, const GatewayStates& gateways,
                      const std::deque<RouteState>& routes);

/// A bootstrap that has all of it inline, in place of discovery: `envoy --mode validate` can judge it.
json::Object static_bootstrap(const Translation& translation);

}  // namespace fairway::gateway
