// SPDX-License-Identifier: Apache-2.0

// Addresses of IPv4 and IPv6, and blocks of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "k8s/names.h"

namespace fairway::apiserver::validation {

/// An address. One of IPv4 has its four bytes first.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  bool is_ipv6 = false;
  /// True if a number in the text has a zero in front.
  bool has_zeros = false;

  /// Returns the number of bits: 32 or 128.
  std::size_t bits() const { return is_ipv6 ? 128 : 32; }
  /// Returns whether an address of IPv6 stands for one of IPv4.
  bool is_mapped() const;
};

/// The addresses that have a prefix in common.
struct IpBlock {
  IpAddress address;
  std::size_t length = 0;
  /// True if a number in the text has a zero in front.
  bool has_zeros = false;

  /// Returns whether all addresses of another block are in this one, and others, too.
  bool strictly_contains(const IpBlock& other) const;
};

/// Reads an address, with zeros in front of its numbers, too.
std::optional<IpAddress> parse_address(std::string_view text);
/// Reads a block: "10.0.0.0/8".
std::optional<IpBlock> parse_block(std::string_view text);
/// Checks a block in the form of CIDR.
k8s::Faults check_block(std::string_view text);
/// Checks that an address can be reached from other machines: it is neither loopback nor link-local.
k8s::Faults check_reachable(std::string_view text);

}  // namespace fairway::apiserver::validation
