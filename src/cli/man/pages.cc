// SPDX-License-Identifier: Apache-2.0

#include "cli/man/pages.h"

#include "cli/man/overview.h"
#include "cli/man/parts.h"
#include "cli/man/references.h"
#include "cli/man/roff.h"
#include "command_line/model.h"

namespace fairway::cli {
namespace {

constexpr const char* plugin = "kubectl-fairway";

/// Returns the sections about a command that has none below it.
std::string own_sections(const CLI::App& command) {
  const std::string arguments = argument_entries(command);
  return (arguments.empty() ? "" : roff_section("ARGUMENTS") + arguments) + roff_section("OPTIONS") +
         flag_entries(command, GroupTitle::subsection);
}

std::string command_page(const CLI::App& command, const std::string& date) {
  const auto commands = commands_that_run(command);
  const bool is_group = commands.size() > 1 || commands.front() != &command;
  std::string out =
      page_begin(page_name(command), command.get_description(), date) + roff_section("SYNOPSIS");
  for (const CLI::App* one : commands) out += (one == commands.front() ? "" : ".br\n") + command_usage(*one);
  out += roff_section("DESCRIPTION") + roff_paragraph(as_sentence(command.get_description()));
  if (is_group) {
    out += roff_section("COMMANDS");
    for (const CLI::App* one : commands) out += command_subsection(*one);
  } else {
    out += command_example(command) + own_sections(command);
  }
  return out + roff_section("ENVIRONMENT") +
         roff_paragraph(
             "Each flag can be set by a variable of its name, or in the file of --config; see fairway(1).") +
         exit_status_section() + see_also_section({"fairway"}, pages_about(command.get_name()));
}

std::string plugin_page(const std::string& date) {
  return page_begin(plugin, "fairway as a plugin of kubectl", date) + roff_section("SYNOPSIS") +
         roff_bold("kubectl fairway") + "\n[" + roff_italic("command") + "]\n[" + roff_italic("flags") +
         "]\n" + roff_section("DESCRIPTION") +
         roff_paragraph(
             "kubectl runs a program of this name from the PATH. It is fairway under another name, "
             "for example a symbolic link to it: without a command of fairway it is fairway adm "
             "upgrade, whose commands and flags it takes. Flags stand behind fairway; kubectl takes "
             "none before it.") +
         roff_section("EXAMPLES") +
         roff_example("kubectl fairway --to 4.7.4\nkubectl fairway why 4.7.4\nkubectl fairway graph --help") +
         roff_section("FILES") +
         roff_entry(
             roff_bold("kubectl_complete-fairway"),
             "Program on the PATH that kubectl asks for completion; fairway completion kubectl prints it.") +
         see_also_section({"fairway", "fairway-adm", "fairway-completion"}, pages_about("adm"));
}

}  // namespace

std::vector<std::string> manual_topics(const CLI::App& root) {
  std::vector<std::string> topics;
  for (const CLI::App* command : command_line::subcommands_of(root)) topics.push_back(command->get_name());
  topics.emplace_back(plugin);
  return topics;
}

std::vector<ManualPage> manual_pages(const CLI::App& root, const std::string& date) {
  std::vector<ManualPage> pages;
  pages.push_back({"", "fairway", overview_page(root, date)});
  for (const CLI::App* command : command_line::subcommands_of(root))
    pages.push_back({command->get_name(), page_name(*command), command_page(*command, date)});
  pages.push_back({plugin, plugin, plugin_page(date)});
  return pages;
}

}  // namespace fairway::cli
