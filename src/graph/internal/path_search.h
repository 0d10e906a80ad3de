// The best paths through a graph: fewest hops, then fewest distinct risks, then higher nodes first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fairway::graph {

/// A set of risks, each a bit. All sets of one search have the same number of words.
using RiskBits = std::span<const std::uint64_t>;

/// What is searched. Nodes are numbered so that a higher version has a higher number.
struct SearchGraph {
  struct Edge {
    std::uint32_t to = 0;
    std::uint32_t risks = 0;  ///< which set of risks
  };
  std::vector<std::vector<Edge>> out;  ///< of each node
  std::size_t words = 1;               ///< of each set of risks
  std::vector<std::uint64_t> sets;     ///< set number s is sets[s * words, (s + 1) * words)

  RiskBits risks(const Edge& edge) const { return RiskBits(sets).subspan(edge.risks * words, words); }
};

using NodePath = std::vector<std::uint32_t>;

/// At most `count` loop-free paths from one node to another, best first. After `max_labels` beginnings of
/// paths the search ends: the paths that are then returned are right, but there may be better ones with as
/// many hops.
std::vector<NodePath> search_paths(const SearchGraph& graph, std::uint32_t from, std::uint32_t to,
                                   std::size_t count, std::size_t max_labels);

/// The path with the fewest distinct risks, then the fewest hops, of those with at most `max_hops` and of
/// those without any risk; nothing where there is none. After `max_labels` beginnings the search ends, and
/// what it has is returned.
std::optional<NodePath> search_fewest_risks(const SearchGraph& graph, std::uint32_t from, std::uint32_t to,
                                            std::size_t max_hops, std::size_t max_labels);

/// How many distinct risks the edges of a path have.
std::uint32_t number_of_risks(const SearchGraph& graph, const NodePath& path);

}  // namespace fairway::graph
