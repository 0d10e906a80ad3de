// SPDX-License-Identifier: Apache-2.0

#include "command_line/internal/suggest.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "command_line/model.h"

namespace fairway::command_line {

namespace {

/// The command that the words chose: fairway, `fairway graph`, `fairway graph show`.
const CLI::App& chosen(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return *at;
}

std::string see_help(const CLI::App& command) {
  return "; see " + called_name(command) + " --help";
}

std::string did_you_mean(const std::string& near, const CLI::App& command) {
  return near.empty() ? see_help(command) : "; did you mean " + near + "?";
}

/// Returns the option with this flag, of a command or of one that contains it.
const CLI::Option* find_flag(const CLI::App& command, const std::string& flag) {
  for (const CLI::App* at = &command; at; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      const auto names = spellings(*option);
      if (std::ranges::find(names, flag) != names.end()) return option;
    }
  }
  return nullptr;
}

std::string nearest_flag(const CLI::App& command, const std::string& flag) {
  std::vector<std::string> names;
  for (const CLI::App* at = &command; at; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return nearest(flag, names);
}

bool is_part_of_name(const CLI::App& command, std::string_view word) {
  for (const CLI::App* at = &command; at; at = at->get_parent()) {
    if (at->get_name() == word) return true;
  }
  return false;
}

/// The complaint about the first word that this command does not know; "" if it knows them all.
std::string unknown_word(const CLI::App& command, bool needs_command, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word.starts_with("--") && word.size() > 2) {
      const std::string flag(word.substr(0, word.find('=')));
      const CLI::Option* option = find_flag(command, flag);
      if (!option) {
        return called_name(command) + " has no flag " + flag +
               did_you_mean(nearest_flag(command, flag), command);
      }
      if (!value_name(*option).empty() && flag.size() == word.size()) ++i;
    } else if (word.size() > 1 && word.front() == '-' && word != "--" && (word[1] < '0' || word[1] > '9')) {
      const std::string flag(word.substr(0, 2));  // -o json, or -ojson
      const CLI::Option* option = find_flag(command, flag);
      if (!option) return called_name(command) + " has no flag " + flag + see_help(command);
      if (!value_name(*option).empty() && flag.size() == word.size()) ++i;
    } else if (needs_command && !word.starts_with('-') && !is_part_of_name(command, word)) {
      std::vector<std::string> names;
      for (const CLI::App* below : subcommands_of(command)) names.push_back(below->get_name());
      std::string near = nearest(word, names);
      if (!near.empty()) near = called_name(command) + " " + near;
      return called_name(command) + " has no command '" + std::string(word) + "'" +
             did_you_mean(near, command);
    }
  }
  return "";
}

}  // namespace

std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& words) {
  const CLI::App& command = chosen(app);
  if (dynamic_cast<const CLI::ConfigError*>(&error)) {
    // CLI11 says "INI was not able to parse NAME", whatever the format.
    const std::string text = error.what();
    const std::string name = text.substr(text.rfind(' ') + 1);
    // CLI11's name of the end of a section.
    if (constexpr std::string_view end = ".++"; name.ends_with(end)) {
      return "the file of --config has a section that is no command: [" +
             name.substr(0, name.size() - end.size()) + "]";
    }
    return "the file of --config has a key that is no setting: " + name +
           "; a section is a command, and its keys are that command's flags without dashes in front";
  }
  const bool needs_command = command.get_require_subcommand_min() > 0 && command.get_subcommands().empty();
  // A misspelt flag also shows as a required one that is missing.
  if (needs_command || dynamic_cast<const CLI::ExtrasError*>(&error) ||
      dynamic_cast<const CLI::RequiredError*>(&error)) {
    const std::string complaint = unknown_word(command, needs_command, words);
    if (!complaint.empty()) return complaint;
  }
  if (!needs_command) return std::string(error.what()) + see_help(command);
  std::string names;
  for (const CLI::App* below : subcommands_of(command))
    names += (names.empty() ? "" : ", ") + below->get_name();
  return called_name(command) + " needs a command: " + names + see_help(command);
}

}  // namespace fairway::command_line
