// SPDX-License-Identifier: Apache-2.0

// `fairway risk status`: what an operator knows of each risk.
#pragma once

#include "command_line/commands.h"

namespace fairway::cli {

void add_risk_status(CLI::App& risk, command_line::Context& context);

}  // namespace fairway::cli
