// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"
#include "cli/new/new_operator.h"

namespace fairway::cli {

void add_new(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("new", "Write a project that builds on Fairway");
  command->require_subcommand(1);
  add_new_operator(*command, context);
}

}  // namespace fairway::cli
