// Reads GatewayClasses, Gateways and ListenerSets of this controller.
#pragma once

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/surroundings.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

/// Returns the classes that name this controller, and the Gateways and ListenerSets of these, with their
/// listeners merged and compared. No routes are counted yet.
GatewayStates read_gateways(const Objects& objects, const Surroundings& surroundings);

}  // namespace fairway::gateway
