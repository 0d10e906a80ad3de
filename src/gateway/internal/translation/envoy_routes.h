// SPDX-License-Identifier: Apache-2.0

// Rules of HTTPRoutes and GRPCRoutes as Envoy's routes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gateway/internal/translation/envoy_clusters.h"
#include "gateway/internal/translation/envoy_matches.h"

namespace fairway::gateway {

/// Returns the Envoy routes of a route, one for each match, in the order of its rules. Those of a rule that
/// cannot be served answer with an error; a rule whose match is not understood has none. `scheme` and `port`
/// are those of the listener, for redirects.
std::vector<EnvoyRoute> envoy_routes(const BackendsOf& backends, std::string_view scheme, std::int64_t port);

}  // namespace fairway::gateway
