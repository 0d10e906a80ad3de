// SPDX-License-Identifier: Apache-2.0

// `fairway gateway`: the controller.
#pragma once

#include "cli/gateway/commands.h"

namespace fairway::cli {

/// Runs until SIGTERM or SIGINT. Returns the exit code.
int run_gateway(const GatewayOptions& options);

}  // namespace fairway::cli
