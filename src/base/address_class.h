// What an IP address is for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fairway {

enum class AddressClass : std::uint8_t {
  ordinary,
  loopback,
  link_local,
  multicast,    ///< broadcast as well: nobody has the address alone
  unspecified,  ///< 0.0.0.0/8, ::
};

/// The class of "192.0.2.1" or "2001:db8::1"; std::nullopt: the text is no IP address, or one with a zone.
/// IPv6 addresses that carry one of IPv4 (mapped ::ffff:192.0.2.1, compatible ::192.0.2.1, NAT64
/// 64:ff9b::192.0.2.1) have its class.
std::optional<AddressClass> classify_address(std::string_view text);

}  // namespace fairway
