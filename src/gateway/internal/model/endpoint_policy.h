// Which endpoints Envoy may be led to. Whoever may write an EndpointSlice names addresses, and Envoy would
// carry requests from outside to what trusts this machine.
#pragma once

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

struct EndpointPolicy {
  /// Ranges that the administrator permits (`--endpoint-cidrs`), of those that are refused otherwise.
  std::vector<AddressRange> permitted = {};
  /// Never permitted.
  OwnListeners own_listeners = {};
  /// The sockets at which Envoys listen for Gateways, never permitted either; nullptr: there are none.
  std::shared_ptr<const GatewaySockets> gateway_sockets = {};
  /// How many connections Envoy has to one backend at a time.
  std::uint32_t max_connections = default_max_connections;

  /// Why Envoy is not led to an address and port; std::nullopt: it is. Refused are loopback, link-local,
  /// multicast, broadcast and unspecified addresses and those of metadata services, in all forms of writing,
  /// what is no address, the ports that this program listens on, and those of Gateways. `protocol`: "TCP" or
  /// "UDP".
  std::optional<std::string> refusal(std::string_view address, std::int64_t port,
                                     std::string_view protocol = "TCP") const;
  bool operator==(const EndpointPolicy& other) const;
};

}  // namespace fairway::gateway
