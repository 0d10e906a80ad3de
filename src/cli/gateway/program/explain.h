// SPDX-License-Identifier: Apache-2.0

// `fairway gateway explain`.
#pragma once

#include "cli/gateway/commands.h"

namespace fairway::cli {

int explain_gateway_route(const GatewayExplainOptions& options);

}  // namespace fairway::cli
