// Envoy's configuration of Gateways and routes, as canonical JSON.
#pragma once

#include <map>
#include <string>

#include "base/json.h"

namespace fairway::gateway {

/// Resources of Envoy's v3 API by name: what is in them depends on the objects alone, in any order.
struct Translation {
  using Of = std::map<std::string, json::Object>;
  /// LDS: one for each Gateway and port, `shop/web:80`, and `shop/web:53/udp`. Routes come by RDS: those of
  /// HTTP listeners under the same name, those of an HTTPS listener under `shop/web:443#LISTENER`.
  Of listeners;
  /// RDS. Each hostname of a listener is a virtual host: of listeners that have it the most specific.
  Of routes;
  /// CDS, with endpoints: one for each port of a Service that has any, `shop/cart:80`.
  Of clusters;
  /// SDS: key pairs, `shop/certificate`. They must not be written anywhere.
  Of secrets;
};

/// A bootstrap that has all of it inline, in place of discovery: `envoy --mode validate` can judge it.
json::Object static_bootstrap(const Translation& translation);

}  // namespace fairway::gateway
