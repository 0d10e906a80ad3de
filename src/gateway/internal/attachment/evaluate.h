// The statuses that objects shall have: attachment and resolution, pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/address_range.h"
#include "base/clock.h"
#include "gateway/connection_limits.h"
#include "gateway/internal/attachment/address_pool.h"
#include "gateway/internal/attachment/own_listeners.h"
#include "gateway/internal/objects/api.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/status/conditions.h"
#include "gateway/internal/translation/tracing.h"
#include "k8s/conditions.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The Service before the Envoys, as a Gateway has it.
struct ServiceFront {
  k8s::Key service;
  /// As in `status.addresses`.
  json::Array addresses;
  /// By number, and whether it is one of UDP.
  std::set<std::pair<std::int64_t, bool>> ports;
};

/// What is not in the objects.
struct Surroundings {
  /// Decides which certificates have expired.
  WallTime now;
  /// Gateways for which there is no address or no port: AddressNotAssigned or NoResources.
  std::map<k8s::Key, k8s::Problem> no_capacity = {};
  /// Gateways that this controller has served: they are told when their class is gone.
  std::set<k8s::Key> was_ours = {};
  /// Gateways that have the addresses of a Service.
  std::map<k8s::Key, ServiceFront> behind_services = {};
  /// Where Envoys send spans of requests.
  std::optional<Tracing> tracing = {};
  /// What this program listens on.
  OwnListeners own_listeners = {};
  /// Ranges that endpoints may be of although they are refused otherwise.
  std::vector<AddressRange> endpoint_cidrs = {};
  /// The addresses that the administrator lists: of those that are local the only ones for Gateways.
  AddressPool listed_addresses = {};
  /// True counts each address that a Gateway asks for as one of the machine: offline nobody knows these.
  bool has_all_addresses = false;
  /// Connections of an Envoy to one backend.
  std::uint32_t max_connections = default_max_connections;
};

/// What an entry of `status.listeners` shall say.
struct ListenerReport {
  std::string name;
  std::vector<RouteKind> kinds;
  int attached = 0;
  Verdicts verdicts;
  bool operator==(const ListenerReport&) const = default;
};

/// What an entry of `status.parents` or `status.ancestors` shall say.
struct EntryReport {
  json::Object ref;
  Verdicts verdicts;
  bool operator==(const EntryReport&) const = default;
};

/// What the status of one object shall say. What is absent stays as it is.
struct Report {
  const k8s::Dynamic* object = nullptr;
  /// The same, of routes: there are many.
  std::shared_ptr<const k8s::Dynamic> held = {};
  std::optional<Verdicts> own = {};
  std::optional<std::vector<ListenerReport>> listeners = {};
  std::optional<int> attached_sets = {};
  /// `status.supportedFeatures`, where the class is accepted.
  bool has_features = false;
  /// `status.addresses`, where the Gateway asks for addresses of its own.
  std::optional<json::Array> addresses = {};
  /// All entries of this controller: those that are not here are removed. Reports of several passes share
  /// them.
  std::shared_ptr<const std::vector<EntryReport>> parents = {}, ancestors = {};
  bool operator==(const Report& other) const;
};

/// Reports on all objects whose status this controller writes, as their conditions are once Envoy has
/// acknowledged the configuration.
std::vector<Report> evaluate(const Objects& objects, const Surroundings& surroundings);

}  // namespace fairway::gateway
