// SPDX-License-Identifier: Apache-2.0

// The names of Envoy's listeners and RouteConfigurations.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/internal/model/gateway.h"

namespace fairway::gateway {

/// Returns the addresses that a Gateway listens on, each once and in canonical form: "0.0.0.0" behind a
/// Service; a single empty one if it has none, which stands for all addresses of the machine.
std::vector<std::string> addresses_of(const GatewayState& gateway);

/// Returns the name of Envoy's listener for a listener of a Gateway on an address: `198.51.100.1:80/tcp`,
/// `[2001:db8::1]:80/tcp`, `198.51.100.1:53/udp`; for a Gateway without an address `shop/web:80/tcp`.
///
/// It names the socket and not the Gateway, since Envoy refuses a listener on an address that another one
/// has: if two Gateways exchange their addresses, two listeners change, and neither moves. Socket options are
/// a part of the name: Envoy refuses a listener of the same name whose `enable_reuse_port` differs, and one
/// of another name takes the socket over. Listeners named `198.51.100.1:80`, of earlier versions, had that
/// option.
std::string listener_name(const std::string& address, const GatewayState& gateway, const Listener& listener);
/// Returns the names of Envoy's listeners for a listener, one for each address.
std::vector<std::string> listener_names(const GatewayState& gateway, const Listener& listener);

/// Returns the name of a Secret's key pair.
std::string secret_name(const ObjectRef& ref, std::string_view from_namespace);
/// Returns the names of the key pairs that a listener shows to clients.
std::set<std::string> secret_names(const Listener& listener);

/// Returns the name of the RouteConfiguration of an HTTP or HTTPS listener in Envoy's listener `name`:
/// `198.51.100.1:80/tcp#shop/web`, `198.51.100.1:443/tcp#shop/web/LISTENER`, without an address
/// `shop/web:80/tcp`, `shop/web:443/tcp#LISTENER`. It contains the Gateway, so that an address that changes
/// its Gateway has the new one's routes from the first request on.
std::string routes_name(const std::string& name, const GatewayState& gateway, const Listener& listener);

}  // namespace fairway::gateway
