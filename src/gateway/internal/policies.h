// BackendTLSPolicies: which apply to the backends of routes.
#pragma once

#include <deque>
#include <vector>

#include "gateway/internal/evaluate.h"
#include "gateway/internal/routes.h"

namespace fairway::gateway {

/// The reports on all policies. A policy's ancestors are the Gateways whose routes lead to its targets.
void report_policies(const Objects& objects, const std::deque<RouteState>& routes,
                     std::vector<Report>& reports);

}  // namespace fairway::gateway
