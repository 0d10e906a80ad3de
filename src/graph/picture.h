// SPDX-License-Identifier: Apache-2.0

// Drawings of a graph, for Graphviz and Mermaid: a neighbourhood, a small channel, or one node per minor
// version, never more than a picture can show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/update_graph.h"

namespace fairway::graph {

enum class PictureFormat { dot, mermaid };

struct PictureOptions {
  /// Ends of the updates to draw. With one: only updates out of `from`, or into `to`. With both: the shortest
  /// paths between them. With neither: each version of a channel of up to 30, otherwise one node per minor
  /// version, with edge counts.
  std::string from = {}, to = {};
  std::string title = {};
};

/// An update of a picture whose content the caller has chosen: a path, a change.
struct DrawnUpdate {
  std::string from = {}, to = {};
  bool dashed = false;
  std::vector<std::string> labels = {};
};

/// Draws updates in their order (if they are very many, only the first, and the title says so), and their
/// versions in ascending order, with `asked_for` marked whether or not an update concerns them.
std::string draw_updates(const std::vector<DrawnUpdate>& updates, const std::vector<std::string>& asked_for,
                         PictureFormat format, std::string title);

/// Draws a graph: recommended edges are solid, conditional ones dashed and labelled with their risks. An
/// unknown version is an error.
Result<std::string> draw(const UpdateGraph& graph, PictureFormat format, const PictureOptions& options);

}  // namespace fairway::graph
