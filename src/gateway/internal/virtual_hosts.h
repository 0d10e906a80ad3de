// The hostnames of a port as Envoy's virtual hosts.
#pragma once

#include <string>

#include "base/json.h"
#include "gateway/internal/ports.h"

namespace fairway::gateway {

/// The RouteConfiguration of all listeners of a port: who asks for a hostname gets what its listener has.
json::Object routes_of_port(const std::string& name, const Port& port);

/// The RouteConfiguration of one HTTPS listener of a port. Its connections are for its names: requests for
/// those of another listener are misdirected (421), so that the client makes a connection to that.
json::Object routes_of_listener(const std::string& name, const Port& port, const Listener& listener);

}  // namespace fairway::gateway
