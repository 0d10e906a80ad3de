// What is accepted and not yet translated: a listener with any of it is not programmed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "gateway/internal/gateways.h"
#include "gateway/internal/objects.h"
#include "gateway/internal/routes.h"

namespace fairway::gateway {

/// By port: the first thing of a Gateway's accepted listeners and of their routes that Envoy is not
/// configured for.
std::map<std::int64_t, std::string> untranslated(const Objects& objects, const GatewayState& gateway,
                                                 const std::deque<RouteState>& routes);

}  // namespace fairway::gateway
