// SPDX-License-Identifier: Apache-2.0

// Pieces that many of Envoy's messages have.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"

namespace fairway::gateway {

/// Returns an Any: the members of a message, and its type, "envoy.config.cluster.v3.Cluster".
inline json::Object any(std::string_view type, json::Object members = {}) {
  members["@type"] = "type.googleapis.com/" + std::string(type);
  return members;
}

/// Returns `{name, typed_config}`: a filter, an extension.
inline json::Object extension(std::string_view name, std::string_view type, json::Object members = {}) {
  return {{"name", name}, {"typed_config", any(type, std::move(members))}};
}

/// Returns a ConfigSource: the ADS stream.
inline json::Object by_ads() {
  return {{"ads", json::Object{}}, {"resource_api_version", "V3"}};
}

/// Returns an Address: the address or name of a host, and a TCP or UDP port.
inline json::Object address_at(std::string_view host, std::int64_t port, bool is_udp = false) {
  json::Object socket{{"address", host}, {"port_value", port}};
  if (is_udp) socket["protocol"] = "UDP";
  return {{"socket_address", std::move(socket)}};
}

/// Returns an LbEndpoint: the address of a member of a cluster.
inline json::Object endpoint_at(std::string_view host, std::int64_t port) {
  return {{"endpoint", json::Object{{"address", address_at(host, port)}}}};
}

/// Returns a time as protobuf's Duration in JSON.
inline std::string seconds(std::chrono::milliseconds time) {
  const std::string rest = std::to_string(1000 + time.count() % 1000);
  return std::to_string(time.count() / 1000) + "." + rest.substr(1) + "s";
}

/// The name of a cluster that never exists: requests to it are answered with an error, connections are
/// closed.
inline constexpr std::string_view no_cluster = "fairway/no-backend";

}  // namespace fairway::gateway
