// SPDX-License-Identifier: Apache-2.0

// Error messages for invalid command lines, with suggestions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fairway::command_line {

/// The message, without "error: ". For an unknown command or flag it suggests the closest existing one.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace fairway::command_line
