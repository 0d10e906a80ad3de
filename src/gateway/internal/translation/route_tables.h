// SPDX-License-Identifier: Apache-2.0

// The RouteConfigurations of ports and listeners, which stay from pass to pass: of thousands of virtual hosts
// few change at once.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "gateway/internal/translation/ports.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// Returns whether a virtual host of a table is that of another listener, to which its requests belong (421).
bool is_misdirected(const json::Object& host);

/// An Envoy route of a route on a port.
struct PlacedRoute {
  const ServedRoute* served = nullptr;
  /// Its index in `served->routes`.
  std::size_t number = 0;
};

/// Returns the Envoy routes in a virtual host, in order: in the RouteConfiguration of `listener`, or if that
/// is nullptr in the one of the port. Empty: the virtual host has no routes of Gateway API's routes.
std::vector<PlacedRoute> routes_placed(const Port& port, const Listener* listener, std::string_view host);

/// A RouteConfiguration, and all that it was made of.
class RouteTable {
 public:
  /// Returns the RouteConfiguration of all listeners of a port: requests for a hostname get the routes of its
  /// listener.
  const xds::Resource& of_port(const std::string& name, const Port& port);
  /// Returns the RouteConfiguration of one HTTPS listener of a port. Its connections are for its own names:
  /// requests for those of another listener are misdirected (421), so that the client makes a new connection
  /// for them.
  const xds::Resource& of_listener(const std::string& name, const Port& port, const Listener& listener);

  /// True if it has been returned since this was last reset.
  bool is_used = false;

 private:
  /// A route on a listener: the index of the listener in the port, the route's hostnames there, those of its
  /// own that they were made of, and its Envoy routes.
  struct Route {
    std::size_t listener = 0;
    std::vector<std::string> hostnames;
    std::map<std::string, std::string, std::less<>> narrowed;
    std::shared_ptr<const std::vector<EnvoyRoute>> routes;
  };
  /// The facts that a table depends on, apart from routes.
  struct Frame {
    /// The hostnames of the port's listeners, in order.
    std::vector<std::string> listeners;
    /// Index of the listener that the table is for; `of_all` if it is for all listeners.
    std::size_t own = 0;
    bool is_probed = false;
    bool operator==(const Frame&) const = default;
  };
  class Update;
  const xds::Resource& made(const std::string& name, const Port& port, const Listener* own);

  bool is_made_ = false;
  Frame frame_;
  std::vector<Route> routes_;
  /// The virtual hosts by hostname; empty: all names.
  std::map<std::string, xds::VirtualHost, std::less<>> hosts_;
  xds::Resource resource_;
};

}  // namespace fairway::gateway
