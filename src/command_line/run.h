// From argv to an exit code.
#pragma once

#include <CLI/CLI.hpp>

#include "command_line/commands.h"

namespace fairway::command_line {

/// Parses the command line and runs the action that it chose, or prints help, version or what is wrong. The
/// file that the environment variable of --config names is read as if the flag had named it. Returns the exit
/// code: the action's, `exit_usage` for a command line or a setting that is wrong, `exit_failed` where the
/// standard output cannot be written or something throws.
int run(CLI::App& app, const Context& context, int argc, char** argv);

}  // namespace fairway::command_line
