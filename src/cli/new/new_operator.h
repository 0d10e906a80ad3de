// SPDX-License-Identifier: Apache-2.0

// The command `fairway new operator`.
#pragma once

#include <CLI/CLI.hpp>

#include "command_line/commands.h"

namespace fairway::cli {

/// Adds `fairway new operator`: write the project of an operator.
void add_new_operator(CLI::App& parent, command_line::Context& context);

}  // namespace fairway::cli
