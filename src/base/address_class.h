// SPDX-License-Identifier: Apache-2.0

// The class of an IP address: loopback, link-local, multicast and so on.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/address_range.h"

namespace fairway {

enum class AddressClass : std::uint8_t {
  ordinary,
  loopback,
  link_local,
  site_local,   ///< fec0::/10, which no network has any more (RFC 3879)
  multicast,    ///< broadcast as well: nobody has the address alone
  unspecified,  ///< 0.0.0.0/8, ::
  metadata,  ///< addresses at which clouds give credentials to the machine that asks, beside link-local ones
};

/// The class of "192.0.2.1" or "2001:db8::1"; std::nullopt: the text is no IP address, or one with a zone.
/// IPv6 addresses that carry one of IPv4 have its class: mapped (::ffff:192.0.2.1), compatible (::192.0.2.1),
/// SIIT (::ffff:0:192.0.2.1), NAT64 (64:ff9b::192.0.2.1), 6to4 (2002:c000:201::), and Teredo (2001::/32) that
/// of its server or client, whichever is not ordinary. In 64:ff9b:1::/48 (RFC 8215) each network chooses the
/// position of the IPv4 address: an address that is not ordinary counts at any possible position.
std::optional<AddressClass> classify_address(std::string_view text);

/// The address of IPv4, in the mapped form, that a mapped, compatible, SIIT or NAT64 address is another form
/// of; otherwise the address itself. In 64:ff9b:1::/48 the last four bytes count.
AddressBytes plain_address(const AddressBytes& address);

}  // namespace fairway
