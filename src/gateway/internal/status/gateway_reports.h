// SPDX-License-Identifier: Apache-2.0

// The statuses of classes, Gateways and ListenerSets.
#pragma once

#include <vector>

#include "gateway/internal/model/answers.h"
#include "gateway/internal/model/gateway.h"
#include "gateway/internal/status/report.h"

namespace fairway::gateway {

/// Adds the reports on classes, Gateways and ListenerSets. Call it once routes have been counted.
void report_gateways(const GatewayStates& states, const Answers& answers, std::vector<Report>& reports);

}  // namespace fairway::gateway
