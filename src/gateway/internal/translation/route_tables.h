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

/// Returns whether a host of a table is that of another listener, to which its requests belong (421).
bool is_misdirected(const json::Object& host);

/// One of the routes that a route of a port became.
struct PlacedRoute {
  const ServedRoute* served = nullptr;
  /// Its number in `served->routes`.
  std::size_t number = 0;
};

/// What stands in the virtual host of a name, in its order: in the RouteConfiguration of a listener, or where
/// there is none in that of the port. Nothing where it has no routes of routes.
std::vector<PlacedRoute> routes_placed(const Port& port, const Listener* listener, std::string_view host);

/// A RouteConfiguration, and all that it was made of.
class RouteTable {
 public:
  /// That of all listeners of a port: who asks for a hostname gets what its listener has.
  const xds::Resource& of_port(const std::string& name, const Port& port);
  /// That of one HTTPS listener of a port. Its connections are for its names: requests for those of another
  /// listener are misdirected (421), so that the client makes a connection to that.
  const xds::Resource& of_listener(const std::string& name, const Port& port, const Listener& listener);

  /// True if it has been made since this was last set.
  bool is_used = false;

 private:
  /// A route on a listener: which of the port's, for which hostnames, and as what.
  struct Route {
    std::size_t listener = 0;
    std::vector<std::string> hostnames;
    std::shared_ptr<const std::vector<EnvoyRoute>> routes;
  };
  /// What there is apart from routes.
  struct Frame {
    /// The hostnames of the port's listeners, in order.
    std::vector<std::string> listeners;
    /// Whose table it is, of all where there is none.
    std::size_t own = 0;
    bool is_probed = false;
    bool operator==(const Frame&) const = default;
  };
  class Update;
  const xds::Resource& made(const std::string& name, const Port& port, const Listener* own);

  bool is_made_ = false;
  Frame frame_;
  std::vector<Route> routes_;
  /// By hostname, empty for every name.
  std::map<std::string, xds::VirtualHost, std::less<>> hosts_;
  xds::Resource resource_;
};

}  // namespace fairway::gateway
