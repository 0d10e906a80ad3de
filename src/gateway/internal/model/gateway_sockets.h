// SPDX-License-Identifier: Apache-2.0

// The sockets at which Envoys listen for Gateways: an endpoint there would send requests in circles, each of
// which fills the Envoys that all share.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address_range.h"

namespace fairway::gateway {

class GatewaySockets {
 public:
  GatewaySockets() = default;
  /// Makes an empty set of sockets. `machine`: the addresses of the machine; loopback need not be among them.
  explicit GatewaySockets(std::vector<AddressRange> machine) : machine_(std::move(machine)) {}

  /// Adds the socket of a listener at one address.
  void add(const AddressBytes& address, std::int64_t port, bool is_udp);
  /// Adds the socket of a listener at all addresses of the machine.
  void add_everywhere(std::int64_t port, bool is_udp);
  /// Returns whether the machine has the address.
  bool is_of_machine(const AddressBytes& address) const;
  /// Returns whether a connection to the address and port reaches a listener. An IPv4 address may be written
  /// as IPv6. An unspecified address stands for all addresses of the machine.
  bool has(std::string_view address, std::int64_t port, bool is_udp) const;
  bool operator==(const GatewaySockets&) const = default;

 private:
  struct AtPort {
    bool is_everywhere = false;
    std::set<AddressBytes> addresses = {};
    bool operator==(const AtPort&) const = default;
  };
  std::vector<AddressRange> machine_;
  /// The addresses at each port, by the port's number and whether it is UDP.
  std::map<std::pair<std::int64_t, bool>, AtPort> ports_;
};

}  // namespace fairway::gateway
