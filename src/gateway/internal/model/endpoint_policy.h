// SPDX-License-Identifier: Apache-2.0

// The policy on the endpoints that Envoy may connect to. Whoever may write an EndpointSlice names addresses,
// and Envoy would carry requests from outside to services that trust this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address_range.h"
#include "gateway/connection_limits.h"
#include "gateway/internal/model/gateway_sockets.h"
#include "gateway/internal/model/own_listeners.h"

namespace fairway::gateway {

/// The families of IP addresses that can be reached from this machine.
struct AddressFamilies {
  bool has_four = true;
  bool has_six = true;

  /// Returns whether an address is of a family that can be reached. IPv4 in its form as IPv6
  /// (::ffff:192.0.2.1) counts as IPv4.
  bool reach(std::string_view address) const;
  bool operator==(const AddressFamilies&) const = default;
};

struct EndpointPolicy {
  /// Ranges that the administrator permits (`--endpoint-cidrs`) although they are refused by default.
  std::vector<AddressRange> permitted = {};
  /// The listeners of this program, which are never permitted.
  OwnListeners own_listeners = {};
  /// The sockets on which Envoys listen for Gateways, which are never permitted either; nullptr: there are
  /// none.
  std::shared_ptr<const GatewaySockets> gateway_sockets = {};
  /// The families that endpoints are taken from where a Service has both.
  AddressFamilies families = {};
  /// Number of connections that an Envoy may have to one backend at a time.
  std::uint32_t max_connections = default_max_connections;
  /// Silence after which TCP asks the other side of a connection, client or backend, whether it is there;
  /// zero: never.
  std::chrono::seconds keepalive = default_keepalive;

  /// Returns the reason why Envoy must not connect to an address and port; std::nullopt: it may. Refused are
  /// loopback, link-local, multicast, broadcast and unspecified addresses and those of metadata services, in
  /// any notation; texts that are not addresses; the ports that this program listens on; and those of
  /// Gateways. `protocol`: "TCP" or "UDP".
  std::optional<std::string> refusal(std::string_view address, std::int64_t port,
                                     std::string_view protocol = "TCP") const;
  bool operator==(const EndpointPolicy& other) const;
};

}  // namespace fairway::gateway
