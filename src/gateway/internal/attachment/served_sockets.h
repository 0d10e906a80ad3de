// The sockets that Envoys have for the Gateways of one moment.
#pragma once

#include <vector>

#include "base/address_range.h"
#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/gateway_sockets.h"
#include "gateway/internal/model/surroundings.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

/// The sockets of the accepted listeners of Gateways that are served. A Gateway's address counts if the
/// machine has it, or the administrator lists it: with others, which Envoy cannot listen at, whoever may
/// write a Gateway could cut off the endpoints of others. Behind a Service these are all addresses of the
/// machine, and the Service's own in the cluster; where a class names the Service, also the others by which
/// it is reached, and those of the replicas behind it.
GatewaySockets served_sockets(const Objects& objects, const Surroundings& surroundings,
                              const GatewayStates& states);

/// The addresses of the Pods behind the Services that classes name. They are replicas of this one, and have
/// the ports that this program listens on.
std::vector<AddressRange> replica_addresses(const Objects& objects, const GatewayStates& states);

}  // namespace fairway::gateway
