// Walks over the command line's model: what help, completion and manual are made of, so that they never
// differ.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace fairway::cli {

/// "fairway graph show".
std::string full_name(const CLI::App& command);
/// In the order in which they were added.
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);
/// Calls `visit` with the command and all below it, parents first.
void visit_commands(const CLI::App& command, const std::function<void(const CLI::App&)>& visit);

/// Options with names, in the order in which they were added; and the positional ones.
std::vector<const CLI::Option*> flags_of(const CLI::App& command);
std::vector<const CLI::Option*> positionals_of(const CLI::App& command);

/// "-o", "--output" (every name, with its dashes, short ones first).
std::vector<std::string> spellings(const CLI::Option& option);
/// What the value is called ("FILE", "table|json"); "" for a flag without value.
std::string value_name(const CLI::Option& option);
/// The values that there are, where they are told apart by `|` in the value's name.
std::vector<std::string> choices(const CLI::Option& option);
/// The example of a command without "Example: "; "" where it has none.
std::string example_of(const CLI::App& command);

}  // namespace fairway::cli
