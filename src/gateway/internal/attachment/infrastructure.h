// What is created in the cluster for Gateways: a Service with the Gateway's addresses, so that pods reach it
// by a name, and so that the labels and annotations of `spec.infrastructure` have something to be on.
#pragma once

#include <vector>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/objects/objects.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The documents to apply (server-side apply): for each accepted Gateway a headless Service "NAME-fairway" in
/// its namespace with the ports of its listeners, and an EndpointSlice with its addresses; both have the
/// label `gateway.networking.k8s.io/gateway-name` and what `spec.infrastructure` asks for, and are owned by
/// the Gateway, so that they go with it. Loopback and link-local addresses, which slices refuse, are left
/// out.
///
/// Only what `objects` does not have so already. An object of the name that the Gateway does not own is left
/// alone.
std::vector<k8s::Dynamic> infrastructure_to_apply(const Objects& objects, const GatewayStates& states);

}  // namespace fairway::gateway
