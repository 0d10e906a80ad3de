// SPDX-License-Identifier: Apache-2.0

// The statuses of BackendTLSPolicies.
#pragma once

#include <deque>
#include <vector>

#include "gateway/internal/model/route.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/status/report.h"

namespace fairway::gateway {

/// Adds the reports on all policies. A policy's ancestors are the Gateways whose routes lead to its targets.
void report_policies(const Objects& objects, const std::deque<RouteState>& routes,
                     std::vector<Report>& reports);

}  // namespace fairway::gateway
