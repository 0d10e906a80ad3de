// Drawings of a graph, for Graphviz and Mermaid: a neighbourhood, or one node per minor version, never all
// edges.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/update_graph.h"

namespace fairway::graph {

enum class PictureFormat { dot, mermaid };

struct PictureOptions {
  /// With one: only updates out of `from`, or into `to`; with both: the shortest paths between them. With
  /// neither: one node per minor version, with edge counts.
  std::string from, to;
  std::string title;
};

/// Recommended edges are solid, conditional ones dashed and labelled with their risks. An unknown version is
/// an error.
Result<std::string> draw(const UpdateGraph& graph, PictureFormat format, const PictureOptions& options);

}  // namespace fairway::graph
