// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/endpoint_policy.h"

#include <algorithm>

#include "base/address_class.h"

namespace fairway::gateway {

namespace {

/// Returns the name in messages of a class of addresses that is refused; nullptr: it is not refused.
const char* refused_name(AddressClass its_class) {
  switch (its_class) {
    case AddressClass::ordinary:
      return nullptr;
    case AddressClass::loopback:
      return "a loopback address";
    case AddressClass::link_local:
      return "a link-local address";
    case AddressClass::site_local:
      return "a site-local address";
    case AddressClass::multicast:
      return "a multicast or broadcast address";
    case AddressClass::unspecified:
      return "an unspecified address, which is one of this machine";
    case AddressClass::metadata:
      return "the address of a cloud's metadata service";
  }
  return "an address of an unknown class";
}

}  // namespace

bool AddressFamilies::reach(std::string_view address) const {
  static const AddressRange four = *AddressRange::parse("0.0.0.0/0");
  return four.contains(address) ? has_four : has_six;
}

std::optional<std::string> EndpointPolicy::refusal(std::string_view address, std::int64_t port,
                                                   std::string_view protocol) const {
  const auto its_class = classify_address(address);
  if (!its_class) return "it is no address";
  if (const OwnListener* own = own_listeners.find(address, port))
    return "the controller itself listens there (" + own->flag + ")";
  // Not whose: it may be in a namespace that this one's users must not see.
  if (gateway_sockets && gateway_sockets->has(address, port, protocol == "UDP"))
    return "Envoy itself listens there for a Gateway, and requests would go in circles";
  const char* const name = refused_name(*its_class);
  if (name == nullptr ||
      std::ranges::any_of(permitted, [&](const AddressRange& range) { return range.contains(address); }))
    return std::nullopt;
  return std::string("it is ") + name + "; the administrator permits ranges with --endpoint-cidrs";
}

bool EndpointPolicy::operator==(const EndpointPolicy& other) const {
  if (permitted != other.permitted || own_listeners != other.own_listeners || families != other.families ||
      max_connections != other.max_connections || keepalive != other.keepalive)
    return false;
  if (gateway_sockets == other.gateway_sockets) return true;
  return gateway_sockets && other.gateway_sockets && *gateway_sockets == *other.gateway_sockets;
}

}  // namespace fairway::gateway
