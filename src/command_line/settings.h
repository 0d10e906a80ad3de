// SPDX-License-Identifier: Apache-2.0

// Settings beside the command line: environment variables and a TOML file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace fairway::command_line {

/// "WIDGETS_OPERATOR_" of "widgets-operator": the prefix of a program's environment variables.
std::string environment_prefix(std::string_view program);

/// Gives each setting of the program three ways: the flag, else the environment variable of its name
/// (--data-dir is PREFIX_DATA_DIR), else the TOML file of --config or PREFIX_CONFIG, with a section a
/// command. An unknown key in that file is an error. Called when all flags and commands are there.
void add_settings(CLI::App& app, std::string_view program);

}  // namespace fairway::command_line
