// SPDX-License-Identifier: Apache-2.0

// From argv to an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "command_line/commands.h"

namespace fairway::command_line {

/// Parses the command line and runs the action that it chose, or prints help, the version or an error. The
/// file that the environment variable of --config names is read as if the flag had named it. Returns the exit
/// code: the action's, `exit_usage` for a command line or a setting that is wrong, `exit_failed` if the
/// standard output cannot be written or an exception is thrown.
int run(CLI::App& app, const Context& context, int argc, char** argv);

/// Parses a command line again, as `run` did, without running anything: for a settings file that has changed.
/// `words` are those behind the program's name. A variable whose option has no value anywhere keeps its own.
/// An Error says what is wrong.
Result<void> reparse(CLI::App& app, const std::vector<std::string>& words);

}  // namespace fairway::command_line
