// Turns a command-line fault into a sentence that says what to do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fairway::cli {

/// What is wrong, without "error: ". An unknown command or flag names the nearest one that exists.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace fairway::cli
