// SPDX-License-Identifier: Apache-2.0

// Loads a graph-data repository (schema 1.x).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "graph/graph_data.h"

namespace fairway::graphdata {

/// The files of graph data, however fetched, by path relative to the repository's root
/// ("channels/stable-4.7.yaml"): version, LICENSE, channels/*, blocked-edges/*, raw/*, signatures/**.
using Files = std::map<std::string, std::string>;

struct LoadOptions {
  std::string source = {};       ///< name that the user gave the source, for messages
  std::string problem_url = {};  ///< url of GraphDataNotUnderstood risks
  /// True to refuse data without channels; false if channels also come from an upstream.
  bool needs_channels = true;
  /// Limits that are checked before each file.
  Limits limits = {};
  const Clock* clock = &Clock::system();  ///< clock of the limits
};

/// Returns whether a path relative to the repository's root is part of graph data (see Files).
bool counts(std::string_view path);

/// Reads the files of graph data in a folder, or those that `wanted` accepts. Symbolic links are followed
/// within the folder, but not to a folder that they lie in. Limits: 64 MiB in all, 1 MiB per YAML file,
/// 50,000 files, 100,000 names of any kind, 8 levels. A file that cannot be read is an Error (partial data
/// must not be taken for complete). So are expired `limits`, which are checked before each file (`cancelled`,
/// `deadline_exceeded`).
Result<Files> read_directory(const std::string& directory, bool (*wanted)(std::string_view path) = counts,
                             const Limits& limits = {}, const Clock& clock = Clock::system());

/// Parses files, within budgets of nodes, expressions and targets that hold for all of them
/// (docs/graph-data-limits.md): content beyond them counts as not understood. An Error means that the new
/// data is refused as a whole: another major schema version, an invalid channel file, or a blocked-edges file
/// without a recoverable `to`; it names file, line and fault. It is also an Error if `limits` ended it
/// (`cancelled`, `deadline_exceeded`). Every other fault becomes a block with Effect::not_understood or a
/// MetadataFault, and a problem.
Result<graph::GraphData> load(const Files& files, const LoadOptions& options);

}  // namespace fairway::graphdata
