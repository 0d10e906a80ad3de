// SPDX-License-Identifier: Apache-2.0

// The resources of the server, of Envoy's v3 API, by type and name, and the answers of Envoys on them.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace fairway::xds {

/// Types of resources, in the order in which they are sent: resources come before those that refer to them.
enum class Type { cluster, endpoints, secret, listener, scope, route };

inline constexpr std::array types = {Type::cluster,  Type::endpoints, Type::secret,
                                     Type::listener, Type::scope,     Type::route};

/// Returns the name of the message: "envoy.config.cluster.v3.Cluster".
std::string_view message_of(Type type);
/// Returns the type URL: "type.googleapis.com/envoy.config.cluster.v3.Cluster".
std::string url_of(Type type);
/// Returns the type of a URL; std::nullopt: it is not served.
std::optional<Type> type_of(std::string_view url);

/// A resource's type and name.
struct ResourceName {
  Type type = Type::cluster;
  std::string name;
  auto operator<=>(const ResourceName&) const = default;
  bool operator==(const ResourceName&) const = default;
};

/// A virtual host. It is immutable, and shared by the resources that have it: there may be thousands.
using VirtualHost = std::shared_ptr<const json::Object>;

/// A resource as protobuf's JSON. It is immutable, and shared by its copies, so that an unchanged one is
/// recognised by its address.
class Resource {
 public:
  Resource() : Resource(json::Object()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): it is that JSON, shared
  Resource(json::Object message) : Resource(std::move(message), {}) {}
  /// Makes a RouteConfiguration of its virtual hosts and the rest of it.
  Resource(json::Object rest, std::vector<VirtualHost> hosts)
      : content_(std::make_shared<const Content>(Content{std::move(rest), std::move(hosts)})) {}

  /// Returns all but the virtual hosts that were given apart.
  const json::Object& rest() const { return content_->rest; }
  const std::vector<VirtualHost>& hosts() const { return content_->hosts; }
  /// Returns the whole resource.
  json::Object json() const;
  /// Returns whether it is the same object, and not only an equal one.
  bool is(const Resource& other) const { return content_ == other.content_; }
  bool operator==(const Resource& other) const;

  /// True if an Envoy gets it only for as long as it asks for it, because of resources from before: no Envoy
  /// is expected to ask for it anew.
  bool is_left_over = false;

 private:
  struct Content {
    json::Object rest;
    std::vector<VirtualHost> hosts;
  };
  std::shared_ptr<const Content> content_;
};

/// The resources to serve.
///
/// Names tie types together: endpoints have the name of their cluster, and a RouteConfiguration that of its
/// listener (followed by `#` and more if a listener has several). From them the server knows what Envoy will
/// ask for once it has a cluster or a listener, and holds back what has to come later.
///
/// Scopes are in collections, `xdstp://AUTHORITY/TYPE/COLLECTION/NAME`, which Envoy subscribes to as a whole.
/// No scope is removed from a collection while Envoy subscribes to it.
using Resources = std::map<ResourceName, Resource>;

/// A part of a RouteConfiguration that an Envoy refuses, by its place there. The rest is served. Requests for
/// a refused route are answered with 500. A route whose match Envoy refuses, and a refused virtual host, are
/// left out.
struct RefusedPart {
  /// The name of the virtual host, and the number of its route; std::nullopt: the virtual host is refused.
  std::string host;
  std::optional<std::size_t> route;
  /// Envoy's message.
  std::string message = {};
  auto operator<=>(const RefusedPart&) const = default;
  bool operator==(const RefusedPart&) const = default;
};

/// The answer of all connected Envoys about the current version of a resource.
struct Acknowledgement {
  enum class State {
    unconnected,   ///< no Envoy is connected
    pending,       ///< not every Envoy has answered
    acknowledged,  ///< every Envoy serves exactly this, but for `parts`
    refused,       ///< an Envoy refuses it, or it is no message of Envoy's API
  };
  State state = State::unconnected;
  /// Envoy's message, if it is `refused`.
  std::string message = {};
  /// Parts that an Envoy refuses, in their order, if it is `acknowledged`.
  std::vector<RefusedPart> parts = {};
};

}  // namespace fairway::xds
