// SPDX-License-Identifier: Apache-2.0

// `fairway gateway check`.
#pragma once

#include "cli/gateway/commands.h"

namespace fairway::cli {

int check_gateway_objects(const GatewayCheckOptions& options);

}  // namespace fairway::cli
