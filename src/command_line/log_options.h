// The flags of commands that run for long and write a log.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"

namespace fairway::cli {

struct LogFlags {
  std::string format = "text", level = "info";
};

/// Adds --log-format and --log-level.
void add_log_flags(CLI::App& command, LogFlags& flags);
/// Has the log be as the flags say. An Error: one of them is of no use.
Result<void> configure_log(const LogFlags& flags);

}  // namespace fairway::cli
