// What every command has in common: exit codes, what it runs, how it reports an error.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace fairway::cli {

/// Exit codes of every command.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed =
    1;  ///< it was understood, and did not work (or found what it looks for: lint)
inline constexpr int exit_usage = 2;  ///< the command line or a setting is wrong

/// What commands share with main.
struct Context {
  /// The command line's whole model (completion and manual are made of it).
  CLI::App* root = nullptr;
  /// What to run once everything is parsed, chosen by the subcommand; its result is the exit code.
  std::function<int()> action;
};

/// Adds a subcommand that runs `action` when it is chosen. `example` is shown at the end of its help.
CLI::App* add_command(CLI::App& parent, Context& context, const char* name, const char* description,
                      const char* example, std::function<int()> action);

/// Writes "error: ..." to standard error and gives exit_failed (exit_usage for ErrorCode::invalid arguments
/// is the caller's choice: pass it).
int report(const Error& error, int exit_code = exit_failed);

}  // namespace fairway::cli
