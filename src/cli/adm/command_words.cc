// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/command_words.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "command_line/model.h"

namespace fairway::cli {
namespace {

using Words = std::vector<char*>;

constexpr std::string_view plugin = "kubectl-fairway";

bool has_subcommand(const CLI::App& command, std::string_view name) {
  return std::ranges::any_of(command_line::subcommands_of(command),
                             [&](const CLI::App* one) { return one->get_name() == name; });
}

/// Returns whether the value of a flag is the next word.
bool is_followed_by_value(const CLI::App& command, std::string_view flag) {
  return std::ranges::any_of(command_line::flags_of(command), [&](const CLI::Option* option) {
    return !command_line::value_name(*option).empty() &&
           std::ranges::count(command_line::spellings(*option), flag) != 0;
  });
}

/// Changes `kubectl fairway WORDS` to `fairway adm upgrade WORDS`, unless they name a command of fairway
/// itself.
void add_command_of_plugin(const CLI::App& app, Words& words) {
  static char adm[] = "adm", upgrade[] = "upgrade";
  if (words.empty() || std::filesystem::path(words.front()).filename() != plugin) return;
  const std::string_view first = words.size() > 1 ? words[1] : "";
  if (first != "--version" && !has_subcommand(app, first)) words.insert(words.begin() + 1, {adm, upgrade});
}

/// Moves flags between `adm upgrade` and a command below it behind that command: kubectl reads them as that
/// command's, wherever they stand. Otherwise `adm upgrade --server A channel B` would ask another server.
void move_flags_behind_command(const CLI::App& app, Words& words) {
  if (words.size() < 4 || words[1] != std::string_view("adm") || words[2] != std::string_view("upgrade"))
    return;
  const CLI::App& command = *app.get_subcommand("adm")->get_subcommand("upgrade");
  const auto begin = words.begin() + 3;
  auto at = begin;
  while (at != words.end() && **at == '-')
    at += is_followed_by_value(command, *at) && at + 1 != words.end() ? 2 : 1;
  if (at != words.end() && has_subcommand(command, *at)) std::rotate(begin, at, at + 1);
}

}  // namespace

void name_as_called(CLI::App& app, const char* program) {
  const std::string name = std::filesystem::path(program).filename();
  if (name == "oc") app.alias(name);
  if (name != plugin) return;
  app.alias("kubectl fairway");
  app.get_subcommand("adm")->get_subcommand("upgrade")->alias("kubectl fairway");
}

std::vector<char*> as_kubectl_reads(std::vector<char*> words, const CLI::App& app) {
  add_command_of_plugin(app, words);
  move_flags_behind_command(app, words);
  return words;
}

}  // namespace fairway::cli
