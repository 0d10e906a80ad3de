// SPDX-License-Identifier: Apache-2.0

// The subcommands of `fairway release` that have a file of their own.
#pragma once

#include "cli/commands.h"

namespace fairway::cli {

/// Adds `diff` to `release`: what an update from one release to another changes. The context outlives both.
void add_release_diff(CLI::App& release, Context& context);

}  // namespace fairway::cli
