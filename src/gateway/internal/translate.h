// Translation: Envoy's configuration of Gateways and routes.
#pragma once

#include <deque>
#include <string>

#include "gateway/internal/gateways.h"
#include "gateway/internal/objects.h"
#include "gateway/internal/routes.h"
#include "gateway/internal/translation.h"

namespace fairway::gateway {

/// What has been accepted, of Gateways whose configuration can be served. HTTP backends that do not exist,
/// are not permitted or have no endpoints lead to a cluster that is never there, and so to 500; connections
/// to such a backend are closed.
Translation translate(const Objects& objects, const GatewayStates& gateways,
                      const std::deque<RouteState>& routes);

}  // namespace fairway::gateway
