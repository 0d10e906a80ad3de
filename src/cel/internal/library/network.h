// SPDX-License-Identifier: Apache-2.0

// IP addresses and CIDR ranges.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace fairway::cel {

/// An address of 4 or 16 bytes.
struct Address {
  std::array<std::uint8_t, 16> bytes{};
  std::uint8_t size = 4;
  friend bool operator==(const Address&, const Address&) = default;
};

struct IpValue : Opaque {
  Address address;
};

struct CidrValue : Opaque {
  Address address;
  std::uint8_t bits = 0;
};

/// Parses an address like Go's netip.ParseAddr, without zones and without IPv4 in IPv6.
std::optional<Address> parse_address(std::string_view text);
std::string address_text(const Address& address);
/// Returns the size that cost counts: bytes of an address, of the prefix of a range; 1 for other values.
std::uint64_t network_size(const Opaque& value);

}  // namespace fairway::cel
