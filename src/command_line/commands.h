// SPDX-License-Identifier: Apache-2.0

// Common to all commands: exit codes, actions and error reports.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::command_line {

/// Exit codes of every command.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;  ///< the command failed (lint: has findings)
inline constexpr int exit_usage = 2;   ///< invalid command line or setting

/// State shared between commands and main.
struct Context {
  /// The root of the command line (completion and manual are generated from it).
  CLI::App* root = nullptr;
  /// The action to run after parsing, set by the subcommand; returns the exit code.
  std::function<int()> action = {};
  /// The words behind `--` of a command that runs another one. They are not parsed, because the other
  /// command's flags are its own.
  std::vector<std::string> other_command = {};
};

/// Adds a subcommand that runs `action`. `example` is shown at the end of its help.
CLI::App* add_command(CLI::App& parent, Context& context, const char* name, const char* description,
                      const char* example, std::function<int()> action);

/// Writes "error: ..." to standard error and returns the exit code: exit_failed by default, exit_usage for
/// invalid arguments if the caller passes it.
int report(const Error& error, int exit_code = exit_failed);

}  // namespace fairway::command_line
