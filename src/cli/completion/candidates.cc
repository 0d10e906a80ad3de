// SPDX-License-Identifier: Apache-2.0

#include "cli/completion/candidates.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "base/text.h"
#include "cli/man/pages.h"
#include "command_line/model.h"

namespace fairway::cli {
namespace {

/// Command whose versions and channels are those of a cluster.
constexpr std::string_view cluster_command = "fairway adm upgrade";

/// Returns the part of a description that says what something is, without what follows a colon, a semicolon
/// or a full stop: shells have one line for it.
std::string summary(std::string_view description) {
  constexpr std::array<std::string_view, 3> ends{": ", "; ", ". "};
  int open = 0;
  for (std::size_t i = 0; i < description.size(); ++i) {
    if (description[i] == '(') ++open;
    if (description[i] == ')') --open;
    const std::string_view rest = description.substr(i, 2);
    if (open == 0 && std::ranges::find(ends, rest) != ends.end())
      return std::string(description.substr(0, i));
  }
  return std::string(description);
}

/// Returns the names of the kinds of values that an option takes: "FILE"; "DIR" and "GITREV"; "text" and
/// "json". An argument may have one in place of its name.
std::vector<std::string_view> kinds_of(const CLI::Option& option, const std::string& type,
                                       const std::string& argument) {
  std::vector<std::string_view> kinds = split(type, '|');
  if (option.get_positional()) kinds.emplace_back(argument);
  return kinds;
}

/// Returns whether a kind of values is a value itself: "json". Others are in capitals.
bool is_value(std::string_view kind) {
  return !kind.empty() && std::ranges::all_of(kind, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool has_one_of(const std::vector<std::string_view>& kinds, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(wanted,
                             [&](std::string_view kind) { return std::ranges::count(kinds, kind) != 0; });
}

bool is_about_cluster(const CLI::App& command) {
  const std::string name = command_line::full_name(command);
  return name == cluster_command || name.starts_with(std::string(cluster_command) + " ");
}

/// Adds the values of the option at a place.
void add_values(Candidates& candidates, const CLI::App& root, const CompletionPlace& place) {
  const CLI::Option& option = *place.option;
  const std::string type = command_line::value_name(option), argument = option.get_name(true);
  const auto kinds = kinds_of(option, type, argument);
  if (is_about_cluster(*place.command)) {
    if (has_one_of(kinds, {"VERSION"})) candidates.names = NamesAllowed::versions;
    if (has_one_of(kinds, {"CHANNEL"})) candidates.names = NamesAllowed::channels;
  }
  // QUERY: a query, or a file that holds one.
  const bool takes_files = has_one_of(kinds, {"FILE", "SRC", "PATH", "QUERY"}) ||
                           (has_one_of(kinds, {"COMMAND"}) && place.is_behind_dashes);
  if (takes_files) {
    candidates.paths = PathsAllowed::files;
  } else if (has_one_of(kinds, {"DIR", "OLD", "NEW"})) {
    candidates.paths = PathsAllowed::folders;
  }
  if (has_one_of(kinds, {"PAGE"})) {
    for (const std::string& topic : manual_topics(root)) add_candidate(candidates, place, topic);
  }
  // NAME=true|false takes neither of the two.
  if (type.contains('|') && !type.contains('=')) {
    for (const std::string_view kind : kinds)
      if (is_value(kind) && kind != argument) add_candidate(candidates, place, std::string(kind));
  }
}

void add_commands(Candidates& candidates, const CLI::App& parent, const CompletionPlace& place) {
  for (const CLI::App* below : command_line::subcommands_of(parent))
    add_candidate(candidates, place, below->get_name(), summary(below->get_description()));
}

/// Returns whether the line has a flag that takes one value at most.
bool is_used_up(const CompletionPlace& place, const CLI::Option& option) {
  return option.get_items_expected_max() <= 1 &&
         std::ranges::any_of(place.flags, [&](const GivenFlag& given) { return given.option == &option; });
}

void add_flags(Candidates& candidates, const CLI::App& root, const CompletionPlace& place) {
  const auto add = [&](const CLI::Option& option) {
    if (is_used_up(place, option)) return;
    for (const std::string& spelling : command_line::spellings(option)) {
      if (spelling.starts_with("--"))
        add_candidate(candidates, place, spelling, summary(option.get_description()));
    }
  };
  for (const CLI::Option* option : command_line::flags_of(*place.command)) add(*option);
  if (place.command == &root) return;
  // Every command has the program's flags with a value, such as --config.
  for (const CLI::Option* option : command_line::flags_of(root))
    if (!command_line::value_name(*option).empty()) add(*option);
}

}  // namespace

Candidates find_candidates(const CLI::App& root, const CompletionPlace& place) {
  Candidates candidates;
  if (place.is_flag_value) {
    if (place.option != nullptr) add_values(candidates, root, place);
    return candidates;
  }
  if (!place.is_behind_dashes && place.begun.starts_with('-')) {
    add_flags(candidates, root, place);
    return candidates;
  }
  if (place.takes_command) {
    add_commands(candidates, *place.command, place);
    if (place.second != nullptr) add_commands(candidates, *place.second, place);
  }
  if (place.option != nullptr) add_values(candidates, root, place);
  const bool takes_words = place.option != nullptr || place.is_behind_dashes ||
                           (place.takes_command && !command_line::subcommands_of(*place.command).empty());
  if (!takes_words && place.begun.empty()) add_flags(candidates, root, place);
  return candidates;
}

void add_candidate(Candidates& candidates, const CompletionPlace& place, const std::string& word,
                   const std::string& description) {
  if (word.starts_with(place.begun)) candidates.words.push_back({place.flag_part + word, description});
}

std::string to_text(const Candidates& candidates) {
  std::string text;
  for (const Candidate& candidate : candidates.words) {
    text += candidate.word;
    if (!candidate.description.empty()) text += "\t" + candidate.description;
    text += '\n';
  }
  return text + ":" + std::to_string(static_cast<int>(candidates.paths)) + "\n";
}

}  // namespace fairway::cli
