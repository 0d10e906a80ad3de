// Backends as Envoy's clusters.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "gateway/internal/api.h"
#include "gateway/internal/objects.h"

namespace fairway::gateway {

/// The cluster that a backend of a route leads to, added to `clusters`; empty where requests must be answered
/// with 500: the reference leads to nothing, or no endpoint is ready.
std::string add_cluster(const Objects& objects, RouteKind route, std::string_view from_namespace,
                        const ObjectRef& ref, std::map<std::string, json::Object>& clusters);

}  // namespace fairway::gateway
