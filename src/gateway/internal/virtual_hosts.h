// The hostnames of a port as Envoy's virtual hosts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "gateway/internal/ports.h"

namespace fairway::gateway {

/// The RouteConfiguration of all listeners of a port: who asks for a hostname gets what its listener has.
json::Object routes_of_port(const std::string& name, const Port& port);

/// The RouteConfiguration of one HTTPS listener of a port. Its connections are for its names: requests for
/// those of another listener are misdirected (421), so that the client makes a connection to that.
json::Object routes_of_listener(const std::string& name, const Port& port, const Listener& listener);

/// One of the routes that a route of a port became.
struct PlacedRoute {
  const ServedRoute* served = nullptr;
  /// Its number in `served->routes`.
  std::size_t number = 0;
};

/// What stands in the virtual host of a name, in its order: in the RouteConfiguration of a listener, or where
/// there is none in that of the port. Nothing where it has no routes of routes.
std::vector<PlacedRoute> routes_placed(const Port& port, const Listener* listener, std::string_view host);

}  // namespace fairway::gateway
