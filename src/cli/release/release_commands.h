// SPDX-License-Identifier: Apache-2.0

// The subcommands of `fairway release` that have a file of their own.
#pragma once

#include "cli/commands.h"

namespace fairway::cli {

// Each adds its command to `release`; the context outlives both.

/// Adds `diff`: what an update from one release to another changes.
void add_release_diff(CLI::App& release, Context& context);
/// Adds `new`: a release image of a folder of manifests.
void add_release_new(CLI::App& release, Context& context);

}  // namespace fairway::cli
