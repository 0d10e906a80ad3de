// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/gateway.h"

#include <algorithm>
#include <tuple>

namespace fairway::gateway {

bool GatewayState::has_accepted_listener(const k8s::Dynamic& owner) const {
  return std::ranges::any_of(listeners, [&](const Listener& listener) {
    return listener.owner == &owner && listener.is_accepted();
  });
}

bool GatewayState::is_same(const GatewayState& other) const {
  const auto all = [](const GatewayState& one) {
    return std::tie(one.object, one.parameters, one.pending, one.refused, one.unusable, one.unresolved,
                    one.sets, one.has_insecure_clients, one.service_addresses);
  };
  return all(*this) == all(other) &&
         std::ranges::equal(listeners, other.listeners,
                            [](const Listener& a, const Listener& b) { return a.is_same(b); });
}

bool GatewayStates::are_same(const GatewayStates& other) const {
  return classes == other.classes && endpoints == other.endpoints &&
         std::ranges::equal(gateways, other.gateways,
                            [](const GatewayState& a, const GatewayState& b) { return a.is_same(b); });
}

}  // namespace fairway::gateway
