// SPDX-License-Identifier: Apache-2.0

#include "cli/man/parts.h"

#include <algorithm>

#include "base/text.h"
#include "cli/man/references.h"
#include "cli/man/roff.h"
#include "command_line/help.h"
#include "command_line/model.h"

namespace fairway::cli {
namespace {

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return capitals;
}

/// Returns the program that a command belongs to.
const CLI::App& root_of(const CLI::App& command) {
  const CLI::App* at = &command;
  while (at->get_parent() != nullptr) at = at->get_parent();
  return *at;
}

/// Returns the name of the command of fairway that a command is, or is below of; "" of fairway itself.
std::string topic_of(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "";
  return command.get_parent()->get_parent() == nullptr ? command.get_name() : topic_of(*command.get_parent());
}

/// Returns whether an option belongs to each command, or to the program, and not to what a command does.
bool is_common(const CLI::App& command, const CLI::Option* option) {
  const CLI::App& root = root_of(command);
  return option == command.get_help_ptr() || option == root.get_version_ptr() ||
         option == root.get_config_ptr();
}

std::string argument_of(const CLI::Option& option) {
  std::string name = roff_italic(option.get_name(true));
  if (option.get_items_expected_max() > 1) name += "...";
  return option.get_required() ? name : "[" + name + "]";
}

std::string flag_entry(const CLI::App& command, const CLI::Option& option) {
  std::string term;
  for (const std::string& spelling : command_line::spellings(option))
    term += (term.empty() ? "" : ", ") + roff_bold(spelling);
  const std::string value = command_line::value_name(option);
  if (!value.empty()) term += " " + roff_italic(value);
  std::string text = command_line::full_description(option);
  if (!option.get_configurable() && !is_common(command, &option)) text += " (on the command line alone)";
  return roff_entry(term, text);
}

/// Returns the groups of a command's flags, in the order of their first flags.
std::vector<std::string> groups_of(const CLI::App& command) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : command_line::flags_of(command))
    if (std::ranges::count(groups, option->get_group()) == 0) groups.push_back(option->get_group());
  return groups;
}

/// Returns the title of a group of flags, and a reference to the page about them, if there is one.
std::string group_begin(const CLI::App& command, const std::string& group, GroupTitle form) {
  const std::string_view page = page_about_flags(topic_of(command), group);
  const std::string see = page.empty() ? "" : "See " + roff_italic(page) + ".\n";
  if (form == GroupTitle::subsection) return roff_subsection(group) + see;
  return ".PP\n" + roff_bold(group) + "\n" + (see.empty() ? "" : ".br\n" + see);
}

}  // namespace

std::string page_name(const CLI::App& command) {
  return "fairway-" + command.get_name();
}

std::string page_begin(std::string_view name, std::string_view summary, const std::string& date) {
  return ".\\\" Made by `fairway man` of the program's commands and flags.\n"
         ".TH " +
         roff(in_capitals(name)) + " 1 \"" + date + "\" \"fairway " + roff(FAIRWAY_VERSION) +
         "\" \"Fairway\"\n.nh\n.ad l\n" + roff_section("NAME") + roff(name) + " \\- " + roff(summary) + "\n";
}

std::vector<const CLI::App*> commands_that_run(const CLI::App& command) {
  std::vector<const CLI::App*> found;
  command_line::visit_commands(command, [&](const CLI::App& one) {
    if (one.get_require_subcommand_min() == 0) found.push_back(&one);
  });
  return found;
}

std::string command_usage(const CLI::App& command) {
  std::string out = roff_bold(command_line::full_name(command));
  for (const CLI::Option* option : command_line::flags_of(command)) {
    if (option->get_required()) {
      out += "\n" + roff_bold(command_line::spellings(*option).back()) + " " +
             roff_italic(command_line::value_name(*option));
    }
  }
  out += "\n[" + roff_italic("flags") + "]";
  for (const CLI::Option* option : command_line::positionals_of(command)) out += "\n" + argument_of(*option);
  return out + "\n";
}

std::string argument_entries(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command_line::positionals_of(command))
    out += roff_entry(roff_italic(option->get_name(true)), command_line::full_description(*option));
  return out;
}

std::string flag_entries(const CLI::App& command, GroupTitle form) {
  std::string out;
  const auto groups = groups_of(command);
  for (const std::string& group : groups) {
    if (group != groups.front()) out += group_begin(command, group, form);
    for (const CLI::Option* option : command_line::flags_of(command))
      if (option->get_group() == group) out += flag_entry(command, *option);
  }
  return out;
}

std::string command_example(const CLI::App& command) {
  const std::string text = command_line::example_of(command);
  return text.empty() ? "" : ".PP\nExample:\n.PP\n" + roff_example(text);
}

std::string command_subsection(const CLI::App& command) {
  return roff_subsection(command_line::full_name(command)) +
         roff_paragraph(as_sentence(command.get_description())) + argument_entries(command) +
         flag_entries(command, GroupTitle::bold) + command_example(command);
}

std::string exit_status_section() {
  return roff_section("EXIT STATUS") + roff_entry(roff_bold("0"), "It went well.") +
         roff_entry(roff_bold("1"), "It did not, or found what it looks for.") +
         roff_entry(roff_bold("2"), "The command line or a setting is wrong.");
}

std::string see_also_section(const std::vector<std::string>& pages,
                             const std::vector<std::string_view>& documentation) {
  std::vector<std::string> names, paths;
  for (const std::string& page : pages) names.push_back(roff_bold(page) + "(1)");
  for (const std::string_view page : documentation) paths.push_back(roff_italic(page));
  std::string out = roff_section("SEE ALSO") + join(names, ",\n") + "\n";
  if (!paths.empty()) out += ".PP\nThe documentation:\n" + join(paths, ",\n") + "\n";
  return out;
}

std::string as_sentence(const std::string& text) {
  return text.ends_with('.') ? text : text + ".";
}

}  // namespace fairway::cli
