// SPDX-License-Identifier: Apache-2.0

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
  /// A hash of it, which identifies it in versions and in lists of refused parts.
  std::string id;
};

/// A virtual host without its routes, and its routes.
struct HostPart {
  std::string_view name;
  /// The bytes of all fields but the routes.
  std::string shell;
  std::string id;
  std::vector<RoutePart> routes;
};

struct RouteParts {
  /// The bytes of all fields but the virtual hosts.
  std::string rest;
  std::vector<HostPart> hosts;
};

/// Splits a RouteConfiguration into its parts, as views into its bytes; std::nullopt: the bytes are none.
std::optional<RouteParts> split_routes(std::string_view configuration);

/// Returns a route for the same requests that answers them with 500.
std::string failing_route(std::string_view route);
/// Returns the `RoutePart::id` of a route.
std::string id_of_route(std::string_view route);

/// Appends a virtual host of these routes to a configuration.
void append_host(std::string& configuration, std::string_view shell,
                 const std::vector<std::string_view>& routes);
/// Returns a virtual host without routes, whose domain is its name.
std::string host_shell(std::string_view name);
/// Returns a route that Envoy refuses with a message that contains the expression.
std::string refused_route(std::string_view expression);

}  // namespace fairway::xds
