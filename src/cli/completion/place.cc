// SPDX-License-Identifier: Apache-2.0

#include "cli/completion/place.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "command_line/model.h"

namespace fairway::cli {
namespace {

const CLI::App* find_subcommand(const CLI::App& command, std::string_view name) {
  for (const CLI::App* below : command_line::subcommands_of(command))
    if (below->get_name() == name) return below;
  return nullptr;
}

/// Returns the flag of a command, or of one above it, with this spelling; nullptr if there is none.
const CLI::Option* find_option(const CLI::App& command, std::string_view spelling) {
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : command_line::flags_of(*at))
      if (std::ranges::count(command_line::spellings(*option), spelling) != 0) return option;
  }
  return nullptr;
}

/// A word that is a flag, taken apart: "--output=json", "-ojson", "-o".
struct FlagWord {
  std::string_view spelling, value;
  bool has_value = false;
};

FlagWord take_apart(std::string_view word) {
  if (!word.starts_with("--")) return {word.substr(0, 2), word.substr(2), word.size() > 2};
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return {.spelling = word};
  return {word.substr(0, equals), word.substr(equals + 1), true};
}

/// Returns the argument of a command that stands behind `count` others; nullptr if it takes no more.
const CLI::Option* argument_behind(const CLI::App& command, std::size_t count) {
  for (const CLI::Option* argument : command_line::positionals_of(command)) {
    const auto most = static_cast<std::size_t>(argument->get_items_expected_max());
    if (count < most) return argument;
    count -= most;
  }
  return nullptr;
}

/// Reads the words before the last one.
class LineReader {
 public:
  LineReader(const CLI::App& root, const std::vector<std::string>& words) : words_(words) {
    place_.command = &root;
    const bool is_plugin =
        !words.empty() && std::filesystem::path(words.front()).filename() == "kubectl-fairway";
    if (!is_plugin || (words.size() > 2 && find_subcommand(root, words[1]) != nullptr)) return;
    if (const CLI::App* adm = find_subcommand(root, "adm")) place_.command = find_subcommand(*adm, "upgrade");
    if (words.size() <= 2) place_.second = &root;
  }

  CompletionPlace read() {
    const std::size_t last = words_.empty() ? 0 : words_.size() - 1;
    for (std::size_t i = 1; i < last; ++i) {
      const std::string& word = words_[i];
      if (!place_.is_behind_dashes && word == "--") {
        place_.is_behind_dashes = true;
      } else if (!place_.is_behind_dashes && word.size() > 1 && word.front() == '-') {
        i += read_flag(i, last);
      } else {
        read_word(word);
      }
    }
    if (last > 0) read_last(words_[last]);
    return std::move(place_);
  }

 private:
  /// Reads a flag; returns how many of the words behind it are its value. If that is the last word, it is
  /// the value that is completed.
  std::size_t read_flag(std::size_t at, std::size_t last) {
    const FlagWord flag = take_apart(words_[at]);
    const CLI::Option* option = find_option(*place_.command, flag.spelling);
    if (option == nullptr) return 0;
    const bool wants_word = !command_line::value_name(*option).empty() && !flag.has_value;
    if (wants_word && at + 1 == last) {
      place_.option = option;
      place_.is_flag_value = true;
      return 0;
    }
    place_.flags.push_back({option, wants_word ? words_[at + 1] : std::string(flag.value)});
    return wants_word ? 1 : 0;
  }

  void read_word(const std::string& word) {
    const CLI::App* below =
        arguments_ == 0 && !place_.is_behind_dashes ? find_subcommand(*place_.command, word) : nullptr;
    if (below != nullptr) {
      place_.command = below;
    } else {
      ++arguments_;
    }
  }

  void read_last(const std::string& word) {
    place_.begun = word;
    if (place_.is_flag_value) return;
    if (place_.is_behind_dashes || !word.starts_with('-')) {
      place_.option = argument_behind(*place_.command, arguments_);
      place_.takes_command = arguments_ == 0 && !place_.is_behind_dashes;
      return;
    }
    const FlagWord flag = take_apart(word);
    if (!word.starts_with("--") || !flag.has_value) return;
    place_.option = find_option(*place_.command, flag.spelling);
    place_.is_flag_value = true;
    place_.flag_part = std::string(flag.spelling) + "=";
    place_.begun = flag.value;
  }

  const std::vector<std::string>& words_;
  CompletionPlace place_;
  /// Words of the command so far that are its arguments.
  std::size_t arguments_ = 0;
};

}  // namespace

CompletionPlace find_place(const CLI::App& root, const std::vector<std::string>& words) {
  return LineReader(root, words).read();
}

}  // namespace fairway::cli
