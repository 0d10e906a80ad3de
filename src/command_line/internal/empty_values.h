// SPDX-License-Identifier: Apache-2.0

// Flags that are given an empty value: `--to=`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fairway::command_line {

/// Writes `--to=` as `--to` and an empty word, which CLI11 would otherwise read as `--to` with the word
/// behind it. Flags without a value, and the words behind `--`, stay. `words` are those behind the program's
/// name.
void separate_empty_values(const CLI::App& app, std::vector<std::string>& words);

}  // namespace fairway::command_line
