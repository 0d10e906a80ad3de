// SPDX-License-Identifier: Apache-2.0

// Envoy's configuration of Gateways and routes, as canonical JSON.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// Resources of Envoy's v3 API by name. They depend on the objects alone, and not on their order.
struct Translation {
  using Of = std::map<std::string, json::Object>;
  /// LDS: one for each address and port, `198.51.100.1:80/tcp`, and `198.51.100.1:53/udp`. Routes come by
  /// RDS: those of HTTP listeners as `198.51.100.1:80/tcp#shop/web`, those of an HTTPS listener as
  /// `198.51.100.1:443/tcp#shop/web/LISTENER` (`routes_name`).
  Of listeners;
  /// RDS. Each hostname of a listener is a virtual host; a hostname that several listeners cover belongs to
  /// the most specific one.
  std::map<std::string, xds::Resource> routes;
  /// CDS, with endpoints: one for each port of a Service that has any, `shop/cart:80`.
  Of clusters;
  /// SDS: key pairs, `shop/certificate`. They must not be written anywhere.
  Of secrets;
};

/// Returns the `layered_runtime` of a bootstrap: Envoy accepts expressions with programs up to
/// `max_program_size`.
json::Object envoy_runtime();

/// Returns a bootstrap that has all resources inline instead of by discovery, so that `envoy --mode validate`
/// can check it.
json::Object static_bootstrap(const Translation& translation);

}  // namespace fairway::gateway
