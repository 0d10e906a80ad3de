// SPDX-License-Identifier: Apache-2.0

// Reads GatewayClasses, Gateways and ListenerSets of this controller.
#pragma once

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/pass_context.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

/// Returns the classes that name this controller, and their Gateways and ListenerSets, with the listeners
/// merged and compared. Routes are not counted yet.
GatewayStates read_gateways(const Objects& objects, const PassContext& context);

}  // namespace fairway::gateway
