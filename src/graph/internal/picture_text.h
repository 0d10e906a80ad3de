// SPDX-License-Identifier: Apache-2.0

// The texts of pictures: Graphviz's dot and Mermaid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/picture.h"

namespace fairway::graph {

/// Nodes and edges to draw, after they have been selected.
struct Picture {
  struct Node {
    std::vector<std::string> lines = {};
    bool asked_for = false;  ///< true for a node that the picture is about
  };
  struct Edge {
    std::uint32_t from = 0, to = 0;  ///< indices into `nodes`
    bool conditional = false;
    std::vector<std::string> labels = {};
  };
  std::string title = {};
  std::vector<Node> nodes = {};
  std::vector<Edge> edges = {};
};

std::string to_text(const Picture& picture, PictureFormat format);

}  // namespace fairway::graph
