// SPDX-License-Identifier: Apache-2.0

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
#include "gateway/internal/model/endpoint_policy.h"
#include "gateway/internal/model/own_listeners.h"
#include "gateway/internal/model/tracing.h"
#include "k8s/conditions.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The Service before the Envoys, for one Gateway.
struct ServiceFront {
  k8s::Key service;
  /// Its addresses, in the form of `status.addresses`.
  json::Array addresses;
  /// Its ports, by number and whether they are UDP.
  std::set<std::pair<std::int64_t, bool>> ports;
};

/// The facts that decide besides the objects.
struct PassContext {
  /// The time that decides which certificates have expired.
  WallTime now;
  /// Gateways for which there is no address or no port: AddressNotAssigned or NoResources.
  std::map<k8s::Key, k8s::ConditionError> no_capacity = {};
  /// Gateways that this controller has served: their status says so when their class is gone.
  std::set<k8s::Key> was_ours = {};
  /// Gateways that have the addresses of a Service.
  std::map<k8s::Key, ServiceFront> behind_services = {};
  /// The collector of the spans of Envoys; std::nullopt: there is none.
  std::optional<Tracing> tracing = {};
  /// The ports that this program listens on.
  OwnListeners own_listeners = {};
  /// Ranges in which endpoints are permitted although they are refused by default.
  std::vector<AddressRange> endpoint_cidrs = {};
  /// The addresses that the administrator lists. Gateways may have a loopback or link-local address only if
  /// it is listed.
  AddressPool listed_addresses = {};
  /// True if each address that a Gateway asks for counts as one of the machine: offline its addresses are not
  /// known.
  bool has_all_addresses = false;
  /// Number of connections that an Envoy may have to one backend.
  std::uint32_t max_connections = default_max_connections;
  /// The families of addresses that can be reached.
  AddressFamilies families = {};
  /// Silence after which the other side of a connection is asked whether it is there; zero: never.
  std::chrono::seconds keepalive = default_keepalive;
};

}  // namespace fairway::gateway
