// SPDX-License-Identifier: Apache-2.0

// `fairway adm upgrade` and the commands below it.
#pragma once

#include <CLI/CLI.hpp>

#include "command_line/commands.h"

namespace fairway::cli {

using namespace command_line;

/// Adds `fairway adm upgrade ...`: shows the updates of a cluster, and requests one.
void add_adm(CLI::App& app, Context& context);

void add_upgrade_channel(CLI::App& upgrade, Context& context);
void add_upgrade_accept(CLI::App& upgrade, Context& context);
void add_upgrade_rollback(CLI::App& upgrade, Context& context);
void add_upgrade_recommend(CLI::App& upgrade, Context& context);
void add_upgrade_status(CLI::App& upgrade, Context& context);
void add_upgrade_why(CLI::App& upgrade, Context& context);
void add_upgrade_plan(CLI::App& upgrade, Context& context);
void add_upgrade_names(CLI::App& upgrade, Context& context);

}  // namespace fairway::cli
