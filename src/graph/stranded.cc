// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "graph/internal/reachable.h"
#include "graph/paths.h"

namespace fairway::graph {
namespace {

/// Marks the nodes that have a path to the last node, over edges that are given backward.
std::vector<bool> arrives(const std::vector<std::vector<std::uint32_t>>& sources) {
  return reachable(sources, static_cast<std::uint32_t>(sources.size() - 1));
}

std::vector<std::string> left_behind(const UpdateGraph& graph, const std::vector<bool>& arriving) {
  std::vector<std::string> versions;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!arriving[i]) versions.push_back(graph.nodes[i].version);
  }
  return versions;
}

}  // namespace

Stranded find_stranded(const UpdateGraph& graph) {
  Stranded result;
  if (graph.nodes.empty()) return result;
  result.highest = graph.nodes.back().version;
  std::vector<std::vector<std::uint32_t>> sources(graph.nodes.size());
  for (const auto& [from, to] : graph.edges) sources[to].push_back(from);
  result.stranded = left_behind(graph, arrives(sources));
  for (const auto& group : graph.conditional_edges) {
    for (const auto& [from, to] : group.edges) sources[to].push_back(from);
  }
  result.stuck = left_behind(graph, arrives(sources));
  return result;
}

json::Object Stranded::to_json() const {
  return json::Object{{"highest", highest},
                      {"stranded", json::Array(stranded.begin(), stranded.end())},
                      {"stuck", json::Array(stuck.begin(), stuck.end())}};
}

}  // namespace fairway::graph
