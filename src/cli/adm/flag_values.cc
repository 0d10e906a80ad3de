// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/flag_values.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/quoted_text.h"
#include "command_line/model.h"

namespace fairway::cli {
namespace {

/// Returns whether Go's strconv.ParseBool accepts a text.
bool is_bool(std::string_view text) {
  constexpr std::array known{"1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"};
  return std::ranges::find(known, text) != known.end();
}

/// Returns whether a command has a flag without a value, of its own or of a command above it.
bool has_switch(const CLI::App& command, std::string_view flag) {
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : command_line::flags_of(*at)) {
      if (std::ranges::count(command_line::spellings(*option), flag) != 0)
        return command_line::value_name(*option).empty();
    }
  }
  return false;
}

/// Returns the command that the words name.
const CLI::App* command_of(const CLI::App& upgrade, const std::vector<char*>& words) {
  for (const std::string_view word : words) {
    for (const CLI::App* below : command_line::subcommands_of(upgrade))
      if (below->get_name() == word) return below;
  }
  return &upgrade;
}

}  // namespace

std::optional<adm::CommandResult> refuse_flag_values(const CLI::App& app, const std::vector<char*>& words) {
  if (words.size() < 4 || words[1] != std::string_view("adm") || words[2] != std::string_view("upgrade"))
    return std::nullopt;
  const std::vector<char*> rest(words.begin() + 3, words.end());
  const CLI::App* const upgrade = app.get_subcommand("adm")->get_subcommand("upgrade");
  const CLI::App* const command = command_of(*upgrade, rest);
  for (const std::string_view word : rest) {
    if (word == "--") break;
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == word.npos) continue;
    const std::string_view flag = word.substr(0, equals), value = word.substr(equals + 1);
    if (is_bool(value) || !has_switch(*command, flag)) continue;
    adm::CommandResult answer;
    answer.fail_usage("invalid argument " + quote(value) + " for " + quote(flag) +
                          " flag: strconv.ParseBool: parsing " + quote(value) + ": invalid syntax",
                      command_line::called_name(*command));
    return answer;
  }
  return std::nullopt;
}

}  // namespace fairway::cli
