// SPDX-License-Identifier: Apache-2.0

// The sockets that Envoys have for the Gateways of one moment.
#pragma once

#include <vector>

#include "base/address_range.h"
#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/gateway_sockets.h"
#include "gateway/internal/model/pass_context.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

/// Returns the sockets of the accepted listeners of Gateways that are served. A Gateway's address counts if
/// the machine has it or the administrator lists it. Envoy cannot listen on any other address; if those
/// counted, a tenant with a Gateway could cut off the endpoints of others. Gateways behind a Service have all
/// addresses of the machine and the Service's cluster IPs. If a class names the Service, they also have its
/// other addresses, and those of the replicas behind it.
GatewaySockets served_sockets(const Objects& objects, const PassContext& context,
                              const GatewayStates& states);

/// Returns the addresses of the Pods behind the Services that classes name. They are replicas of this
/// program, and listen on the same ports.
std::vector<AddressRange> replica_addresses(const Objects& objects, const GatewayStates& states);

}  // namespace fairway::gateway
