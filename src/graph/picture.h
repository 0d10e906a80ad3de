// Pictures of a graph: Graphviz's dot and Mermaid. Never ten thousand edges: a neighbourhood, or a node a
// minor version.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/update_graph.h"

namespace fairway::graph {

enum class PictureFormat { dot, mermaid };

struct PictureOptions {
  /// With one: only updates out of `from`, or into `to`; with both: what lies on shortest ways between them.
  /// With neither: one node a minor version, edges counted.
  std::string from, to;
  std::string title;
};

/// Recommended edges are solid, conditional ones dashed and labelled with their risks. An unknown version is
/// an error.
Result<std::string> draw(const UpdateGraph& graph, PictureFormat format, const PictureOptions& options);

}  // namespace fairway::graph
