// SPDX-License-Identifier: Apache-2.0

// The words that may stand at a place of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/completion/place.h"

namespace fairway::cli {

/// A word that may stand at a place, and a few words about it, which may be empty.
struct Candidate {
  std::string word, description;
};

/// The paths that may stand at a place beside the candidates. The numbers are those of Cobra, the library of
/// kubectl's command line: https://pkg.go.dev/github.com/spf13/cobra#ShellCompDirective.
enum class PathsAllowed { files = 0, none = 4, folders = 16 };

/// The names of a cluster that may stand at a place.
enum class NamesAllowed { none, versions, channels };

/// Words, paths and names that may stand at a place.
struct Candidates {
  /// Words that begin as the one that is completed.
  std::vector<Candidate> words;
  PathsAllowed paths = PathsAllowed::none;
  NamesAllowed names = NamesAllowed::none;
};

/// Returns the words that may stand at a place of a command line of the program `root`. Flags are among them
/// where the word begins as one, and where nothing else may stand.
Candidates find_candidates(const CLI::App& root, const CompletionPlace& place);

/// Adds a word if it begins as the one that is completed.
void add_candidate(Candidates& candidates, const CompletionPlace& place, const std::string& word,
                   const std::string& description = {});

/// Returns the candidates as kubectl reads them of the completion of a plugin: one a line, with a tab before
/// its description, and in the last line a colon and the number of the paths allowed.
std::string to_text(const Candidates& candidates);

}  // namespace fairway::cli
