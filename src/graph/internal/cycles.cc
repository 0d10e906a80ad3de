// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/cycles.h"

#include <algorithm>

namespace fairway::graph {

namespace {

// Tarjan's strongly connected components, with a stack of its own: chains of releases may be long.
class Components {
 public:
  Components(const std::vector<std::vector<std::uint32_t>>& next)
      : next_(next), order_(next.size(), 0), low_(next.size(), 0), component_(next.size(), none) {
    for (std::uint32_t node = 0; node < next.size(); ++node) {
      if (order_[node] == 0) visit(node);
    }
  }
  std::uint32_t of(std::uint32_t node) const { return component_[node]; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Frame {
    std::uint32_t node;
    std::size_t edge;
  };

  void enter(std::uint32_t node) {
    order_[node] = low_[node] = ++counter_;
    open_.push_back(node);
    frames_.push_back({node, 0});
  }

  void visit(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      const std::uint32_t node = frames_.back().node;
      if (frames_.back().edge < next_[node].size()) {
        const std::uint32_t to = next_[node][frames_.back().edge++];
        if (order_[to] == 0) {
          enter(to);
        } else if (component_[to] == none) {
          low_[node] = std::min(low_[node], order_[to]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[node]);
      if (low_[node] == order_[node]) close(node);
    }
  }

  void close(std::uint32_t root) {
    std::uint32_t node = none;
    do {
      node = open_.back();
      open_.pop_back();
      component_[node] = components_;
    } while (node != root);
    ++components_;
  }

  const std::vector<std::vector<std::uint32_t>>& next_;
  std::vector<std::uint32_t> order_, low_, component_;
  std::vector<std::uint32_t> open_;
  std::vector<Frame> frames_;
  std::uint32_t counter_ = 0, components_ = 0;
};

}  // namespace

std::vector<IndexPair> find_descending_edges_in_cycles(const std::vector<SnapshotEdge>& edges,
                                                       std::size_t releases) {
  const auto descends = [](const SnapshotEdge& edge) { return edge.to < edge.from; };
  if (std::ranges::none_of(edges, descends)) return {};
  std::vector<std::vector<std::uint32_t>> next(releases);
  for (const SnapshotEdge& edge : edges) next[edge.from].push_back(edge.to);
  const Components components(next);
  std::vector<IndexPair> found;
  for (const SnapshotEdge& edge : edges) {
    if (descends(edge) && components.of(edge.from) == components.of(edge.to))
      found.emplace_back(edge.from, edge.to);
  }
  return found;
}

}  // namespace fairway::graph
