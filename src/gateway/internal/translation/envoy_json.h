// Pieces that many of Envoy's messages have.
#pragma once

#include <string_view>

#include "base/json.h"

namespace fairway::gateway {

/// An Any: the members of a message, and its type, "envoy.config.cluster.v3.Cluster".
inline json::Object any(std::string_view type, json::Object members = {}) {
  members["@type"] = "type.googleapis.com/" + std::string(type);
  return members;
}

/// `{name, typed_config}`: a filter, an extension.
inline json::Object extension(std::string_view name, std::string_view type, json::Object members = {}) {
  return {{"name", name}, {"typed_config", any(type, std::move(members))}};
}

/// A ConfigSource: the stream on which everything comes.
inline json::Object by_ads() {
  return {{"ads", json::Object{}}, {"resource_api_version", "V3"}};
}

/// A cluster that is never there: requests to it are answered with an error, connections are closed.
inline constexpr std::string_view no_cluster = "fairway/no-backend";

}  // namespace fairway::gateway
