// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/path_search.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <queue>

namespace fairway::graph {
namespace {

constexpr std::uint32_t unreachable = UINT32_MAX;
/// Most partial paths that are completed by the best known next hops when the search has used up its labels.
constexpr int max_guesses = 1'000;

/// Bounds for the rest of a path, for each node and number of hops that are left.
///
/// `certain` holds the risks that every such rest has, and `least` the smallest number of risks of any rest.
/// Together they give each partial path a lower bound, which no path that continues it can go below and which
/// never falls on the way. So the search (A*) finds whole paths in their order, and skips those that cannot
/// be among the best.
class Rests {
 public:
  Rests(const SearchGraph& graph, std::uint32_t to) : graph_(graph), to_(to) {
    Layer last{std::vector<std::uint32_t>(graph.out.size(), unreachable),
               std::vector<std::uint64_t>(graph.out.size() * graph.words, 0)};
    last.least[to] = 0;
    layers_.push_back(std::move(last));
  }

  /// Adds the layer for one more hop; returns false if no node has a rest with that many hops.
  bool add_layer();
  std::size_t longest() const { return layers_.size() - 1; }
  bool possible(std::size_t hops, std::uint32_t node) const {
    return layers_[hops].least[node] != unreachable;
  }
  /// Returns the least number of distinct risks of any path that has `risks` up to `node` and `hops` hops to
  /// go.
  std::uint32_t bound(std::size_t hops, std::uint32_t node, RiskBits risks) const;

 private:
  struct Layer {
    std::vector<std::uint32_t> least;    ///< fewest risks of a rest, of each node; `unreachable` without a
                                         ///< rest
    std::vector<std::uint64_t> certain;  ///< risks that every rest has, of each node, `words` words each
  };

  const SearchGraph& graph_;
  const std::uint32_t to_;
  std::vector<Layer> layers_;
};

bool Rests::add_layer() {
  const auto words = graph_.words;
  const auto nodes = static_cast<std::uint32_t>(graph_.out.size());
  const auto& after = layers_.back();
  Layer layer{std::vector<std::uint32_t>(nodes, unreachable), std::vector<std::uint64_t>(nodes * words, 0)};
  bool any = false;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (node == to_) continue;
    auto* certain = &layer.certain[node * words];
    for (const auto& edge : graph_.out[node]) {
      if (after.least[edge.to] == unreachable) continue;
      const auto risks = graph_.risks(edge);
      const auto* certain_after = &after.certain[edge.to * words];
      const bool first = layer.least[node] == unreachable;
      std::uint32_t number = 0;
      for (std::size_t i = 0; i < words; ++i) {
        const auto both = risks[i] | certain_after[i];
        number += static_cast<std::uint32_t>(std::popcount(both));
        certain[i] = first ? both : certain[i] & both;
      }
      layer.least[node] = std::min(layer.least[node], std::max(number, after.least[edge.to]));
      any = true;
    }
  }
  if (any) layers_.push_back(std::move(layer));
  return any;
}

std::uint32_t Rests::bound(std::size_t hops, std::uint32_t node, RiskBits risks) const {
  const auto& layer = layers_[hops];
  const auto* certain = &layer.certain[node * graph_.words];
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < graph_.words; ++i) {
    number += static_cast<std::uint32_t>(std::popcount(risks[i] | certain[i]));
  }
  return std::max(number, layer.least[node]);
}

/// Searches the best paths of one number of hops.
class Search {
 public:
  Search(const SearchGraph& graph, const Rests& rests, std::size_t hops, std::size_t count)
      : graph_(graph), rests_(rests), hops_(hops), stride_(hops + 1), count_(count) {}

  std::vector<NodePath> run(std::uint32_t from, std::size_t& labels_left);

 private:
  /// A partial path: its nodes and risks are in `nodes_` and `risks_` at its number.
  struct Label {
    std::uint32_t length = 0;  ///< number of nodes
    std::uint32_t bound = 0;
  };
  using Number = std::uint32_t;

  RiskBits risks_of(Number label) const {
    return RiskBits(risks_).subspan(label * graph_.words, graph_.words);
  }
  NodePath nodes_of(Number label) const {
    const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(label * stride_);
    return {begin, begin + labels_[label].length};
  }
  std::uint32_t end_of(Number label) const { return nodes_[label * stride_ + labels_[label].length - 1]; }
  /// Returns whether `a` sorts before `b`: higher nodes first, a partial path before those that continue it.
  bool nodes_before(Number a, Number b) const;
  bool before(Number a, Number b) const;
  bool contains(Number label, std::uint32_t node) const;
  Number extend(Number label, const SearchGraph::Edge& edge);
  std::vector<Number> extensions(Number label);
  bool is_beaten(Number label);
  std::optional<Number> finish(Number label);

  const SearchGraph& graph_;
  const Rests& rests_;
  const std::size_t hops_, stride_, count_;
  std::vector<Label> labels_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint64_t> risks_;
  /// Partial paths that were extended, by their last node and their length.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Number>> expanded_;
};

bool Search::nodes_before(Number a, Number b) const {
  const auto *x = &nodes_[a * stride_], *y = &nodes_[b * stride_];
  return std::lexicographical_compare(x, x + labels_[a].length, y, y + labels_[b].length, std::greater<>());
}

bool Search::before(Number a, Number b) const {
  if (labels_[a].bound != labels_[b].bound) return labels_[a].bound < labels_[b].bound;
  return nodes_before(a, b);
}

bool Search::contains(Number label, std::uint32_t node) const {
  const auto* nodes = &nodes_[label * stride_];
  return std::find(nodes, nodes + labels_[label].length, node) != nodes + labels_[label].length;
}

Search::Number Search::extend(Number label, const SearchGraph::Edge& edge) {
  const auto number = static_cast<Number>(labels_.size());
  const auto length = labels_[label].length;
  nodes_.resize(nodes_.size() + stride_);
  std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(label * stride_), length,
              nodes_.begin() + static_cast<std::ptrdiff_t>(number * stride_));
  nodes_[number * stride_ + length] = edge.to;
  risks_.resize(risks_.size() + graph_.words);
  const auto more = graph_.risks(edge);
  for (std::size_t i = 0; i < graph_.words; ++i) {
    risks_[number * graph_.words + i] = risks_[label * graph_.words + i] | more[i];
  }
  labels_.push_back({length + 1, 0});
  labels_.back().bound = rests_.bound(hops_ - length, edge.to, risks_of(number));
  return number;
}

std::vector<Search::Number> Search::extensions(Number label) {
  std::vector<Number> made;
  const auto left = hops_ - labels_[label].length;
  for (const auto& edge : graph_.out[end_of(label)]) {
    if (rests_.possible(left, edge.to) && !contains(label, edge.to)) made.push_back(extend(label, edge));
  }
  return made;
}

/// Returns whether as many paths as are asked for are better than any continuation of this one: those that
/// come to the same node with no risk that this one lacks, and with higher nodes.
bool Search::is_beaten(Number label) {
  auto& others = expanded_[{end_of(label), labels_[label].length}];
  const auto risks = risks_of(label);
  std::size_t better = 0;
  for (const auto other : others) {
    const auto theirs = risks_of(other);
    bool fewer = true;
    for (std::size_t i = 0; i < graph_.words && fewer; ++i) fewer = (theirs[i] & ~risks[i]) == 0;
    if (fewer && nodes_before(other, label) && ++better == count_) return true;
  }
  others.push_back(label);
  return false;
}

/// Completes a label by the best next hop each time; returns nothing if that leads into a loop.
std::optional<Search::Number> Search::finish(Number label) {
  while (labels_[label].length < stride_) {
    const auto next = extensions(label);
    if (next.empty()) return std::nullopt;
    label = *std::min_element(next.begin(), next.end(), [&](Number a, Number b) { return before(a, b); });
  }
  return label;
}

std::vector<NodePath> Search::run(std::uint32_t from, std::size_t& labels_left) {
  std::vector<Number> found;
  nodes_.resize(stride_);
  nodes_[0] = from;
  risks_.resize(graph_.words);
  labels_.push_back({1, 0});
  const auto later = [&](Number a, Number b) { return before(b, a); };
  std::priority_queue<Number, std::vector<Number>, decltype(later)> open(later);
  open.push(0);
  for (int guesses = 0; !open.empty() && found.size() < count_ && guesses < max_guesses;) {
    const auto label = open.top();
    open.pop();
    if (labels_left == 0) {
      ++guesses;
      const auto whole = finish(label);
      const auto is_same = [&](Number other) { return nodes_of(other) == nodes_of(*whole); };
      if (whole && std::ranges::none_of(found, is_same)) found.push_back(*whole);
    } else if (labels_[label].length == stride_) {
      found.push_back(label);
    } else if (!is_beaten(label)) {
      const auto next = extensions(label);
      labels_left -= std::min(labels_left, next.size());
      for (const auto number : next) open.push(number);
    }
  }
  std::ranges::sort(found, [&](Number a, Number b) { return before(a, b); });
  std::vector<NodePath> paths;
  paths.reserve(found.size());
  for (const auto label : found) paths.push_back(nodes_of(label));
  return paths;
}

}  // namespace

std::vector<NodePath> search_paths(const SearchGraph& graph, std::uint32_t from, std::uint32_t to,
                                   std::size_t count, std::size_t max_labels) {
  std::vector<NodePath> paths;
  if (from == to) return paths;
  Rests rests(graph, to);
  // A loop-free path has fewer hops than there are nodes.
  for (std::size_t hops = 1; hops < graph.out.size() && paths.size() < count; ++hops) {
    if (!rests.add_layer()) break;
    if (!rests.possible(hops, from)) continue;
    for (auto& path : Search(graph, rests, hops, count - paths.size()).run(from, max_labels)) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

std::uint32_t number_of_risks(const SearchGraph& graph, const NodePath& path) {
  std::vector<std::uint64_t> all(graph.words, 0);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto edge = std::ranges::find(graph.out[path[i]], path[i + 1], &SearchGraph::Edge::to);
    const auto risks = graph.risks(*edge);
    for (std::size_t word = 0; word < graph.words; ++word) all[word] |= risks[word];
  }
  std::uint32_t number = 0;
  for (const auto word : all) number += static_cast<std::uint32_t>(std::popcount(word));
  return number;
}

namespace {

/// Returns the shortest path over edges without risks; nothing if there is none.
std::optional<NodePath> search_without_risks(const SearchGraph& graph, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> before(graph.out.size(), unreachable);
  NodePath open{from};
  before[from] = from;
  for (std::size_t i = 0; i < open.size() && before[to] == unreachable; ++i) {
    // Of paths of one length the one over higher nodes.
    auto edges = graph.out[open[i]];
    std::ranges::sort(edges, std::greater<>(), &SearchGraph::Edge::to);
    for (const auto& edge : edges) {
      const auto has_risk = [](std::uint64_t word) { return word != 0; };
      if (before[edge.to] != unreachable || std::ranges::any_of(graph.risks(edge), has_risk)) continue;
      before[edge.to] = open[i];
      open.push_back(edge.to);
    }
  }
  if (before[to] == unreachable) return std::nullopt;
  NodePath path{to};
  while (path.back() != from) path.push_back(before[path.back()]);
  std::ranges::reverse(path);
  return path;
}

}  // namespace

std::optional<NodePath> search_fewest_risks(const SearchGraph& graph, std::uint32_t from, std::uint32_t to,
                                            std::size_t max_hops, std::size_t max_labels) {
  if (from == to) return std::nullopt;
  if (auto path = search_without_risks(graph, from, to)) return path;
  std::optional<NodePath> best;
  Rests rests(graph, to);
  for (std::size_t hops = 1; hops <= max_hops && hops < graph.out.size() && rests.add_layer(); ++hops) {
    if (!rests.possible(hops, from)) continue;
    for (auto& path : Search(graph, rests, hops, 1).run(from, max_labels)) {
      if (!best || number_of_risks(graph, path) < number_of_risks(graph, *best)) best = std::move(path);
    }
  }
  return best;
}

}  // namespace fairway::graph
