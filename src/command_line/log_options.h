// SPDX-License-Identifier: Apache-2.0

// The log flags of long-running commands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"

namespace fairway::command_line {

struct LogFlags {
  std::string format = "text", level = "info";
};

/// Adds --log-format and --log-level.
void add_log_flags(CLI::App& command, LogFlags& flags);
/// Configures the log from the flags. An Error: invalid value.
Result<void> configure_log(const LogFlags& flags);

}  // namespace fairway::command_line
