// The names of Envoy's listeners and RouteConfigurations.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/internal/model/gateway.h"

namespace fairway::gateway {

/// The addresses that a Gateway listens on, each once and as the machine writes it: "0.0.0.0" behind a
/// Service; one empty one where it has none, which stands for all of the machine.
std::vector<std::string> addresses_of(const GatewayState& gateway);

/// The name of Envoy's listener on an address in which a listener of a Gateway is: `198.51.100.1:80/tcp`,
/// `[2001:db8::1]:80/tcp`, `198.51.100.1:53/udp`; of a Gateway without an address `shop/web:80/tcp`.
///
/// It names the socket and not the Gateway, for Envoy refuses a listener on an address that another one has:
/// two Gateways that exchange their addresses change two listeners, neither of which moves. Options of the
/// socket are a part of the name: Envoy refuses a listener of the same name whose `enable_reuse_port`
/// differs, and one of another name takes the socket over. Listeners `198.51.100.1:80` had it.
std::string listener_name(const std::string& address, const GatewayState& gateway, const Listener& listener);
/// One for each address.
std::vector<std::string> listener_names(const GatewayState& gateway, const Listener& listener);

/// The name of a Secret's key pair.
std::string secret_name(const ObjectRef& ref, std::string_view from_namespace);
/// Those that a listener shows to clients.
std::set<std::string> secret_names(const Listener& listener);

/// The name of the RouteConfiguration of an HTTP or HTTPS listener in Envoy's listener `name`:
/// `198.51.100.1:80/tcp#shop/web`, `198.51.100.1:443/tcp#shop/web/LISTENER`, without an address
/// `shop/web:80/tcp`, `shop/web:443/tcp#LISTENER`. It has the Gateway in it: what comes to an address has its
/// own routes from the first request on.
std::string routes_name(const std::string& name, const GatewayState& gateway, const Listener& listener);

}  // namespace fairway::gateway
