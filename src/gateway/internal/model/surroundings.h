// The facts that a pass knows apart from the objects.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/address_range.h"
#include "base/clock.h"
#include "base/json.h"
#include "gateway/connection_limits.h"
#include "gateway/internal/model/address_pool.h"
#include "gateway/internal/model/own_listeners.h"
#include "gateway/internal/model/tracing.h"
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

/// The facts that decide besides the objects.
struct Surroundings {
  /// Decides which certificates have expired.
  WallTime now;
  /// Gateways for which there is no address or no port: AddressNotAssigned or NoResources.
  std::map<k8s::Key, k8s::ConditionError> no_capacity = {};
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

}  // namespace fairway::gateway
