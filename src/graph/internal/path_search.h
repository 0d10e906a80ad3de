// SPDX-License-Identifier: Apache-2.0

// The best paths through a graph: fewest hops, then fewest distinct risks, then higher nodes first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fairway::graph {

/// A set of risks, each a bit. All sets of one search have the same number of words.
using RiskBits = std::span<const std::uint64_t>;

/// The graph to search. Nodes are numbered so that a higher version has a higher number.
struct SearchGraph {
  struct Edge {
    std::uint32_t to = 0;
    std::uint32_t risks = 0;  ///< number of the set of risks
  };
  std::vector<std::vector<Edge>> out = {};  ///< edges out of each node
  std::size_t words = 1;                    ///< number of words of each set of risks
  std::vector<std::uint64_t> sets = {};     ///< set number s is sets[s * words, (s + 1) * words)

  RiskBits risks(const Edge& edge) const { return RiskBits(sets).subspan(edge.risks * words, words); }
};

using NodePath = std::vector<std::uint32_t>;

/// Returns at most `count` loop-free paths from one node to another, best first. The search ends after
/// `max_labels` partial paths: the returned paths are then valid, but better ones with as many hops may
/// exist.
std::vector<NodePath> search_paths(const SearchGraph& graph, std::uint32_t from, std::uint32_t to,
                                   std::size_t count, std::size_t max_labels);

/// Returns the path with the fewest distinct risks, then the fewest hops, among those with at most `max_hops`
/// and those without any risk; nothing if there is none. The search ends after `max_labels` partial paths and
/// returns the best so far.
std::optional<NodePath> search_fewest_risks(const SearchGraph& graph, std::uint32_t from, std::uint32_t to,
                                            std::size_t max_hops, std::size_t max_labels);

/// Returns the number of distinct risks of the edges of a path.
std::uint32_t number_of_risks(const SearchGraph& graph, const NodePath& path);

}  // namespace fairway::graph
