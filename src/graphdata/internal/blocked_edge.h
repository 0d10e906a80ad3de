// SPDX-License-Identifier: Apache-2.0

// One blocked-edges file: what it does, or what keeps it from being understood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph_data.h"
#include "graphdata/internal/budget.h"
#include "graphdata/internal/fault.h"

namespace fairway::graphdata {

/// A target that a file blocks, and the place of its version.
struct Target {
  Version to;
  graph::Place place;
};

struct BlockedEdgeFile {
  std::string file;
  /// The parsed text; empty if it is not YAML.
  yaml::Parsed parsed;
  /// Faults that keep it from being understood, by position; empty: `block` holds its effect.
  std::vector<Fault> faults;
  /// Targets that could be recovered, each once; empty: the graph data has to be refused.
  std::vector<Target> targets;
  /// True if it names more than max_file_targets: the graph data has to be refused.
  bool too_many_targets = false;
  graph::Block block;

  /// Returns the mapping that the file consists of, or nullptr.
  const yaml::Node* mapping() const;
};

/// Returns whether a path is that of a blocked-edges file, `.yaml` or `.yml`.
bool is_blocked_edge(std::string_view path);

/// Reads one file. Where the specification, today's service and caution differ, caution wins: see
/// docs/graph-data-limits.md.
BlockedEdgeFile read_blocked_edge(const std::string& file, const std::string& text, Budget& budget);

}  // namespace fairway::graphdata
