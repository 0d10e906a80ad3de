// SPDX-License-Identifier: Apache-2.0

// fairway risk explain: why a risk matches a cluster, or does not, or cannot be decided.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace fairway::cli {

void add_risk_explain(CLI::App& risk, Context& context);

}  // namespace fairway::cli
