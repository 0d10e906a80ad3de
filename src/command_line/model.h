// SPDX-License-Identifier: Apache-2.0

// Walks the tree of commands and options. Help, completion and manual are generated from it, so that they
// agree.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace fairway::command_line {

/// "fairway graph show".
std::string full_name(const CLI::App& command);
/// Returns the name of a command as the program was called: an alias of a command stands for its whole name.
/// With the alias "oc" of the root "oc graph show".
std::string called_name(const CLI::App& command);
/// Returns the subcommands in the order of definition.
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);
/// Calls `visit` with the command and all its subcommands, parents first.
void visit_commands(const CLI::App& command, const std::function<void(const CLI::App&)>& visit);

/// Options with names, in the order of definition; and the positional ones.
std::vector<const CLI::Option*> flags_of(const CLI::App& command);
std::vector<const CLI::Option*> positionals_of(const CLI::App& command);

/// "-o", "--output" (every name, with its dashes, short ones first).
std::vector<std::string> spellings(const CLI::Option& option);
/// The name of the value ("FILE", "table|json"); "" for a flag without value.
std::string value_name(const CLI::Option& option);
/// The possible values, if the value's name lists them separated by `|`.
std::vector<std::string> choices(const CLI::Option& option);
/// The example of a command without "Example: "; "" if it has none.
std::string example_of(const CLI::App& command);

}  // namespace fairway::command_line
