// SPDX-License-Identifier: Apache-2.0

// The place in a command line where a shell completes a word.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fairway::cli {

/// A flag that the line has before the word.
struct GivenFlag {
  const CLI::Option* option = nullptr;
  std::string value;
};

/// The place of a word that is completed.
struct CompletionPlace {
  /// The command that the words before name.
  const CLI::App* command = nullptr;
  /// A second command whose commands may stand here, too: fairway itself for `kubectl fairway`. Or nullptr.
  const CLI::App* second = nullptr;
  /// Flags before the word, of all commands of the line.
  std::vector<GivenFlag> flags;
  /// True if a command may stand here: no argument does before it.
  bool takes_command = false;
  /// The flag or argument whose value the word is; nullptr if it is none.
  const CLI::Option* option = nullptr;
  /// True if only the value of `option` may stand here: the flag is right before it.
  bool is_flag_value = false;
  /// True if a `--` stands before the word, behind which nothing is a flag.
  bool is_behind_dashes = false;
  /// The part of the word that stands before the value: "--output=".
  std::string flag_part;
  /// The beginning of the word or value that is completed.
  std::string begun;
};

/// Finds the place of the last of `words` in a command line of the program `root`. The first word is the
/// program's name: as `kubectl-fairway` it is `fairway adm upgrade`, unless a command of fairway follows.
CompletionPlace find_place(const CLI::App& root, const std::vector<std::string>& words);

}  // namespace fairway::cli
