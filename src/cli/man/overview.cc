// SPDX-License-Identifier: Apache-2.0

#include "cli/man/overview.h"

#include <vector>

#include "cli/man/parts.h"
#include "cli/man/roff.h"
#include "command_line/model.h"

namespace fairway::cli {
namespace {

/// Returns the entries of all commands: those of fairway, and below each those that run something.
std::string command_entries(const CLI::App& root) {
  std::string out;
  for (const CLI::App* command : command_line::subcommands_of(root)) {
    out += roff_entry(roff_bold(command_line::full_name(*command)),
                      as_sentence(command->get_description()) + " See " + page_name(*command) + "(1).");
    std::string below;
    for (const CLI::App* one : commands_that_run(*command)) {
      if (one != command)
        below += roff_entry(roff_bold(command_line::full_name(*one)), as_sentence(one->get_description()));
    }
    if (!below.empty()) out += ".RS\n" + below + ".RE\n";
  }
  return out;
}

/// Returns each command that does something by itself with its flags, so that one page can be searched for
/// any of them.
std::string commands_with_their_flags(const CLI::App& root) {
  std::string out = roff_section("COMMANDS AND THEIR FLAGS");
  for (const CLI::App* command : command_line::subcommands_of(root))
    for (const CLI::App* one : commands_that_run(*command)) out += command_subsection(*one);
  return out;
}

std::string environment() {
  return roff_section("ENVIRONMENT") +
         roff_paragraph(
             "Each flag can be set by a variable of its name: --graph-data by FAIRWAY_GRAPH_DATA. A flag on "
             "the command line wins. Flags whose entry says so count on the command line alone.") +
         roff_entry(roff_bold("HTTPS_PROXY") + ", " + roff_bold("HTTP_PROXY") + ", " + roff_bold("NO_PROXY"),
                    "Proxies for requests to update services, registries and Prometheus.") +
         roff_entry(roff_bold("KUBECONFIG"), "The kubeconfig, where --kubeconfig names none.") +
         roff_entry(roff_bold("NO_COLOR"), "Where it is set and not empty, nothing is coloured.") +
         roff_entry(
             roff_bold("SOURCE_DATE_EPOCH"),
             "Seconds since 1970: the date of the pages that fairway man writes. Without it they have none.");
}

std::string files() {
  return roff_section("FILES") +
         roff_entry("The file of " + roff_bold("--config"),
                    "TOML, with a section a command, for example [serve]; keys are flags without dashes in "
                    "front. An unknown key is an error. Flags and variables win.") +
         roff_entry(roff_bold("~/.kube/config"),
                    "The kubeconfig, where neither --kubeconfig nor KUBECONFIG names one.");
}

}  // namespace

std::string overview_page(const CLI::App& root, const std::string& date) {
  std::vector<std::string> others;
  for (const CLI::App* command : command_line::subcommands_of(root)) others.push_back(page_name(*command));
  others.emplace_back("kubectl-fairway");
  return page_begin("fairway", "update service for clusters, and its tools", date) +
         roff_section("SYNOPSIS") + roff_bold("fairway") + "\n" + roff_italic("command") + "\n[" +
         roff_italic("flags") + "]\n" + roff_section("DESCRIPTION") + roff_paragraph(root.get_description()) +
         ".PP\n" +
         roff_paragraph(
             "Release images say which releases lead to which. Graph data says which channels there are, and "
             "which updates are blocked or have known risks. Fairway puts both together, serves the graph "
             "that "
             "each cluster asks for, and explains it.") +
         roff_section("OPTIONS") + flag_entries(root, GroupTitle::subsection) + roff_section("COMMANDS") +
         command_entries(root) + environment() + files() + exit_status_section() +
         commands_with_their_flags(root) + see_also_section(others, {"README.md"});
}

}  // namespace fairway::cli
