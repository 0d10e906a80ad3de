// SPDX-License-Identifier: Apache-2.0

// fairway risk capture: the metrics that the published rules need, in a file.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace fairway::cli {

void add_risk_capture(CLI::App& risk, Context& context);

}  // namespace fairway::cli
