// SPDX-License-Identifier: Apache-2.0

#include "command_line/internal/empty_values.h"

#include <algorithm>
#include <set>

#include "command_line/model.h"

namespace fairway::command_line {
namespace {

/// The names of flags that have a value, of all commands.
std::set<std::string> flags_with_value(const CLI::App& app) {
  std::set<std::string> names;
  visit_commands(app, [&](const CLI::App& command) {
    for (const CLI::Option* option : flags_of(command)) {
      if (value_name(*option).empty()) continue;
      for (std::string& name : spellings(*option)) names.insert(std::move(name));
    }
  });
  return names;
}

}  // namespace

void separate_empty_values(const CLI::App& app, std::vector<std::string>& words) {
  const auto is_empty = [](const std::string& word) { return word.starts_with("--") && word.ends_with('='); };
  if (std::ranges::none_of(words, is_empty)) return;
  const std::set<std::string> flags = flags_with_value(app);
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (!is_empty(words[i]) || !flags.contains(words[i].substr(0, words[i].size() - 1))) continue;
    words[i].pop_back();
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(++i), std::string());
  }
}

}  // namespace fairway::command_line
