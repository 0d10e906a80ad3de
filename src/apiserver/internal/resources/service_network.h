// SPDX-License-Identifier: Apache-2.0

// The addresses and ports that Services are given out of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::apiserver::resources {

/// An IPv4 network, and a range of node ports. Both have a lower part that is allocated last, so that it is
/// free for requests for a certain one (KEP-3070 and KEP-3668).
class ServiceNetwork {
 public:
  /// Reads a network. `cidr`: "10.96.0.0/12". Errors: `invalid` for text that is no IPv4 network, or a
  /// network with fewer than two addresses for Services.
  static Result<ServiceNetwork> of(std::string_view cidr);
  /// Makes kubeadm's network: 10.96.0.0/12.
  ServiceNetwork() = default;

  /// The first and last usable address, without the network's own address and that of broadcasts.
  std::uint32_t first() const { return base_ + 1; }
  std::uint32_t last() const { return base_ + size_ - 2; }
  bool contains(std::uint32_t address) const { return address - base_ < size_; }
  bool is_usable(std::uint32_t address) const { return address >= first() && address <= last(); }
  std::uint32_t base() const { return base_; }
  /// Number of the first addresses that are allocated last.
  std::uint32_t reserved() const;
  /// The network as text: "10.96.0.0/12".
  std::string to_string() const;

  static constexpr int first_port = 30'000, last_port = 32'767;
  static constexpr int reserved_ports = 86;

 private:
  std::uint32_t base_ = 0x0a600000, size_ = 1U << 20U;
};

/// Returns whether a text is an address of IPv6.
bool is_ipv6(std::string_view text);

}  // namespace fairway::apiserver::resources
