// Which endpoints Envoy may be led to. Whoever may write an EndpointSlice names addresses, and Envoy would
// carry requests from outside to what trusts this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address_range.h"
#include "gateway/internal/attachment/own_listeners.h"

namespace fairway::gateway {

struct EndpointPolicy {
  /// Ranges that the administrator permits (`--endpoint-cidrs`), of those that are refused otherwise.
  std::vector<AddressRange> permitted = {};
  /// Never permitted.
  OwnListeners own_listeners = {};

  /// Why Envoy is not led to an address and port; std::nullopt: it is. Refused are loopback, link-local,
  /// multicast, broadcast and unspecified addresses, in all forms of writing, what is no address, and the
  /// ports that this program listens on.
  std::optional<std::string> refusal(std::string_view address, std::int64_t port) const;
  bool operator==(const EndpointPolicy&) const = default;
};

}  // namespace fairway::gateway
