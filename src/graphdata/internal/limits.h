// SPDX-License-Identifier: Apache-2.0

// Limits on the amount of graph data, so that a broken or hostile source costs little.
#pragma once

#include <cstddef>
#include <string_view>

#include "graphdata/load.h"

namespace fairway::graphdata {

inline constexpr std::size_t max_total_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_yaml_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_files = 50'000;
/// Most names in a folder and its folders, ignored ones included.
inline constexpr std::size_t max_names = 100'000;
/// Longest path: no message or answer repeats longer ones.
inline constexpr std::size_t max_path_bytes = 1024;
/// Most values, keys and lists of one YAML file, aliases expanded, and of all files: some 100 bytes of memory
/// each. Real graph data (February 2026) has 60,000 in all.
inline constexpr std::size_t max_file_nodes = 100'000;
inline constexpr std::size_t max_nodes = 500'000;
/// Largest raw/metadata.json, and most of its faults that are reported one by one.
inline constexpr std::size_t max_metadata_bytes = std::size_t{4} << 20;
inline constexpr std::size_t max_metadata_faults = 1'000;
/// Limits of regular expressions: bytes and compiled steps of one, compiled steps of all, and number of
/// different ones. Each is searched in the name of every release. Real graph data has 102 with 2,695 steps,
/// 56 the largest.
inline constexpr std::size_t max_expression_bytes = 4096;
inline constexpr std::size_t max_program = 1'000;
inline constexpr std::size_t max_programs = 30'000;
inline constexpr std::size_t max_expressions = 1'000;
/// Most targets that one file closes when it is not understood, and most of all such files.
inline constexpr std::size_t max_file_targets = 1'000;
inline constexpr std::size_t max_targets = 50'000;
/// Largest url, name and message of a risk, and largest rules as JSON: they are repeated in every graph that
/// has the risk. Real graph data has messages of 581 bytes, and files of 1,475.
inline constexpr std::size_t max_text_bytes = 4096;
inline constexpr std::size_t max_rules_bytes = std::size_t{32} << 10;
/// Deepest nesting of one matching rule. Served graphs wrap rules in six more levels, and readers of JSON
/// (ours too) stop at 64.
inline constexpr int max_rule_depth = 32;

/// Returns whether a file's name has an extension of YAML.
bool is_yaml(std::string_view path);

/// Checks files, however they were fetched: an Error if they exceed the limits, or have names that are not
/// UTF-8.
Result<void> check_limits(const Files& files);

}  // namespace fairway::graphdata
