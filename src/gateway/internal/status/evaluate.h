// SPDX-License-Identifier: Apache-2.0

// The statuses that objects shall have, as they are once Envoy has acknowledged the configuration. Pure.
#pragma once

#include <vector>

#include "gateway/internal/model/pass_context.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/status/report.h"

namespace fairway::gateway {

/// Returns the reports on all objects whose status this controller writes, as if Envoy had acknowledged the
/// configuration.
std::vector<Report> evaluate(const Objects& objects, const PassContext& context);

}  // namespace fairway::gateway
