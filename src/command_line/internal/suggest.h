// SPDX-License-Identifier: Apache-2.0

// Error messages for invalid command lines, with suggestions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fairway::command_line {

/// Returns the message, without "error: ". For an unknown command or flag it suggests the closest existing
/// one. `words` are those behind the program's name.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& words);

}  // namespace fairway::command_line
