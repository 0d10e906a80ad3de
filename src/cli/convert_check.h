// SPDX-License-Identifier: Apache-2.0

// fairway convert check: what would become of stored objects with a converter that is not deployed yet.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace fairway::cli {

/// Adds `check` to `fairway convert`.
CLI::App* add_convert_check(CLI::App& convert, Context& context);

}  // namespace fairway::cli
