// SPDX-License-Identifier: Apache-2.0

// Objects that are created in the cluster for Gateways: a Service with the Gateway's addresses, so that pods
// reach it by a name, and so that there is an object to carry the labels and annotations of
// `spec.infrastructure`.
#pragma once

#include <vector>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/objects/objects.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// Returns the documents to apply (server-side apply): for each accepted Gateway a headless Service
/// "NAME-fairway" in its namespace with the ports of its listeners, and an EndpointSlice with its addresses
/// for each IP family. All have the label `gateway.networking.k8s.io/gateway-name` and the labels and
/// annotations of `spec.infrastructure`. They are owned by the Gateway, and so deleted with it. Loopback and
/// link-local addresses, which slices refuse, are left out.
///
/// Documents that `objects` already has are left out. An object of the same name that the Gateway does not
/// own is left alone.
std::vector<k8s::Dynamic> infrastructure_to_apply(const Objects& objects, const GatewayStates& states);

}  // namespace fairway::gateway
