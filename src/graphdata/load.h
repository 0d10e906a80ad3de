// Reads a graph-data repository (schema 1.x) into what the graph is built from.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/graph_data.h"

namespace fairway::graphdata {

/// The files that count, by path relative to the repository's root ("channels/stable-4.7.yaml"): version,
/// LICENSE, channels/*, blocked-edges/*, raw/*, signatures/**. However they were fetched.
using Files = std::map<std::string, std::string>;

struct LoadOptions {
  std::string source;       ///< as the user named it, for messages
  std::string problem_url;  ///< url of GraphDataNotUnderstood risks
  /// Data without channels is refused; false where channels come from elsewhere too (an upstream).
  bool needs_channels = true;
};

/// Whether a path relative to the repository's root is one that counts (see Files).
bool counts(std::string_view path);

/// Reads a folder's files that count, or those that `wanted` chooses. Symbolic links are followed. Limits: 64
/// MiB in all, 1 MiB a YAML file, 50,000 files. A file that cannot be read is an Error (data that is half
/// there must not be taken for all of it).
Result<Files> read_directory(const std::string& directory, bool (*wanted)(std::string_view path) = counts);

/// Understands files. An Error means that the new data is refused as a whole: another major schema version, a
/// broken channel file, or a blocked-edges file with no recoverable `to`; it names file, line and fault.
/// Everything else that is broken becomes blocks with Effect::not_understood, doubts about metadata, and
/// problems.
Result<graph::GraphData> load(const Files& files, const LoadOptions& options);

}  // namespace fairway::graphdata
