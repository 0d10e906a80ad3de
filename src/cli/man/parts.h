// SPDX-License-Identifier: Apache-2.0

// The parts of which manual pages of commands are made, in roff.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::cli {

/// Returns the name of the page of a command of fairway: "fairway-adm" of "adm".
std::string page_name(const CLI::App& command);

/// Returns the first lines of a page, and its section NAME. `summary` is one line. Words of the page are not
/// divided, so that URLs and flags can be copied.
std::string page_begin(std::string_view name, std::string_view summary, const std::string& date);

/// Returns the commands that do something by themselves, of a command and all below it, in their order.
std::vector<const CLI::App*> commands_that_run(const CLI::App& command);

/// Returns how a command is called: its name, the flags that it needs, and its arguments.
std::string command_usage(const CLI::App& command);

/// Returns the entries of a command's arguments.
std::string argument_entries(const CLI::App& command);

/// The form of the title of a group of flags.
enum class GroupTitle { subsection, bold };

/// Returns the entries of a command's flags, by their groups, of which the first has no title.
std::string flag_entries(const CLI::App& command, GroupTitle form);

/// Returns the example of a command; "" where it has none.
std::string command_example(const CLI::App& command);

/// Returns the subsection about one command: what it does, its arguments, its flags, an example.
std::string command_subsection(const CLI::App& command);

/// Returns the section EXIT STATUS.
std::string exit_status_section();

/// Returns the section SEE ALSO: other pages by their names, and pages of the documentation by their paths.
std::string see_also_section(const std::vector<std::string>& pages,
                             const std::vector<std::string_view>& documentation);

/// Returns a text as a sentence, with a full stop.
std::string as_sentence(const std::string& text);

}  // namespace fairway::cli
