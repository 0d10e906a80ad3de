// SPDX-License-Identifier: Apache-2.0

// The subcommands of `fairway apiserver`.
#pragma once

#include "cli/commands.h"

namespace fairway::cli {

/// Adds `fairway apiserver backup` and `restore`.
void add_apiserver_backup(CLI::App& apiserver, Context& context);
void add_apiserver_restore(CLI::App& apiserver, Context& context);

}  // namespace fairway::cli
