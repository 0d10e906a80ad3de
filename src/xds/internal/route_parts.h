// A RouteConfiguration's bytes, taken apart into virtual hosts and routes, and put together again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::xds {

/// A route of a virtual host: a view into the configuration's bytes.
struct RoutePart {
  std::string_view bytes;
  /// A hash of it, which names it in versions and in what is remembered.
  std::string id;
};

/// A virtual host without its routes, and its routes.
struct HostPart {
  std::string_view name;
  /// All but the routes.
  std::string shell;
  std::string id;
  std::vector<RoutePart> routes;
};

struct RouteParts {
  /// All but the virtual hosts.
  std::string rest;
  std::vector<HostPart> hosts;
};

/// The parts of a RouteConfiguration, as views into its bytes; std::nullopt: these bytes are none.
std::optional<RouteParts> split_routes(std::string_view configuration);

/// A route for the same requests that answers them with 500.
std::string failing_route(std::string_view route);
/// How a route is named in `RoutePart::id`.
std::string id_of_route(std::string_view route);

/// Appends a virtual host of these routes to a configuration.
void append_host(std::string& configuration, std::string_view shell,
                 const std::vector<std::string_view>& routes);
/// A virtual host without routes: its name, which is its domain as well.
std::string host_shell(std::string_view name);
/// A route that Envoy refuses, with an expression in its words.
std::string refused_route(std::string_view expression);

}  // namespace fairway::xds
