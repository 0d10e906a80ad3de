// SPDX-License-Identifier: Apache-2.0

#include "xds/resource.h"

#include <algorithm>

namespace fairway::xds {

namespace {

constexpr std::string_view prefix = "type.googleapis.com/";

}  // namespace

std::string_view message_of(Type type) {
  switch (type) {
    case Type::cluster:
      return "envoy.config.cluster.v3.Cluster";
    case Type::endpoints:
      return "envoy.config.endpoint.v3.ClusterLoadAssignment";
    case Type::secret:
      return "envoy.extensions.transport_sockets.tls.v3.Secret";
    case Type::listener:
      return "envoy.config.listener.v3.Listener";
    case Type::scope:
      return "envoy.config.route.v3.ScopedRouteConfiguration";
    case Type::route:
      return "envoy.config.route.v3.RouteConfiguration";
  }
  return {};
}

std::string url_of(Type type) {
  return std::string(prefix) + std::string(message_of(type));
}

std::optional<Type> type_of(std::string_view url) {
  if (!url.starts_with(prefix)) return std::nullopt;
  url.remove_prefix(prefix.size());
  const auto* const found = std::ranges::find_if(types, [&](Type type) { return message_of(type) == url; });
  if (found == types.end()) return std::nullopt;
  return *found;
}

json::Object Resource::json() const {
  json::Object whole = rest();
  if (hosts().empty()) return whole;
  json::Array all;
  for (const VirtualHost& host : hosts()) all.push_back(*host);
  whole["virtual_hosts"] = std::move(all);
  return whole;
}

bool Resource::operator==(const Resource& other) const {
  return is_left_over == other.is_left_over && (is(other) || json() == other.json());
}

}  // namespace fairway::xds
