// What the server serves: resources of Envoy's v3 API by type and name, and what Envoys say about them.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::xds {

/// In the order in which they are sent: what is referred to is there before what refers to it.
enum class Type { cluster, endpoints, secret, listener, route };

inline constexpr std::array types = {Type::cluster, Type::endpoints, Type::secret, Type::listener,
                                     Type::route};

/// The name of the message: "envoy.config.cluster.v3.Cluster".
std::string_view message_of(Type type);
/// "type.googleapis.com/envoy.config.cluster.v3.Cluster".
std::string url_of(Type type);
/// The type of a URL; std::nullopt for those that are not served.
std::optional<Type> type_of(std::string_view url);

/// A resource's type and name.
struct ResourceName {
  Type type = Type::cluster;
  std::string name;
  auto operator<=>(const ResourceName&) const = default;
  bool operator==(const ResourceName&) const = default;
};

/// All that is to be served, as protobuf's JSON.
///
/// Names tie types together: endpoints have the name of their cluster, a RouteConfiguration that of its
/// listener, where a listener has several followed by `#` and more. So it is known for what Envoy will ask
/// once it has a cluster or a listener, and what is sent later waits for that.
using Resources = std::map<ResourceName, json::Object>;

/// What an Envoy refuses of a RouteConfiguration, by its place in it. The rest is served: requests for a
/// refused route are answered with 500; where Envoy refuses what it is for, or a whole virtual host, it is
/// left out.
struct RefusedPart {
  /// The name of the virtual host, and the number of its route; std::nullopt: the virtual host is refused.
  std::string host;
  std::optional<std::size_t> route;
  /// In Envoy's own words.
  std::string message = {};
  auto operator<=>(const RefusedPart&) const = default;
  bool operator==(const RefusedPart&) const = default;
};

/// What all connected Envoys say about a resource as it is now.
struct Agreement {
  enum class State {
    unconnected,   ///< no Envoy is connected
    pending,       ///< not every Envoy has answered
    acknowledged,  ///< every Envoy serves exactly this, but for `parts`
    refused,       ///< an Envoy refuses it, or it is no message of Envoy's API
  };
  State state = State::unconnected;
  /// Of `refused`: in Envoy's own words.
  std::string message = {};
  /// Of `acknowledged`: what an Envoy refuses of it, in their order.
  std::vector<RefusedPart> parts = {};
};

}  // namespace fairway::xds
