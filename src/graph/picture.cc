// SPDX-License-Identifier: Apache-2.0

#include "graph/picture.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/semver.h"
#include "base/text.h"
#include "graph/internal/picture_text.h"

namespace fairway::graph {
namespace {

/// Limits above which a picture can no longer be read; the highest versions are drawn, and the title says so.
constexpr std::size_t max_edges = 150;
constexpr std::size_t max_between = 24;
/// Most versions that are drawn one by one. Channels of one minor version and the last releases before it
/// have up to 34 (stable-4.1: 32).
constexpr std::size_t max_single_versions = 36;
constexpr std::uint32_t far = UINT32_MAX;

struct Edge {
  IndexPair ends;
  const ConditionalEdges* group = nullptr;  ///< nullptr: recommended to all
};

std::vector<Edge> edges_of(const UpdateGraph& graph) {
  std::vector<Edge> edges;
  edges.reserve(graph.edges.size());
  for (const auto& ends : graph.edges) edges.push_back({ends});
  for (const auto& group : graph.conditional_edges) {
    for (const auto& ends : group.edges) edges.push_back({ends, &group});
  }
  std::ranges::sort(edges, {}, &Edge::ends);
  return edges;
}

/// Keeps the edges whose far ends are highest, and says in the title how many there were.
void cut_edges(std::vector<Edge>& edges, std::string& title) {
  if (edges.size() <= max_edges) return;
  const auto height = [](const Edge& edge) {
    return std::pair(std::uint64_t{edge.ends.first} + edge.ends.second, edge.ends);
  };
  std::ranges::sort(edges, std::greater<>(), height);
  title += (title.empty() ? "" : " ") + ("(" + std::to_string(max_edges)) + " of " +
           std::to_string(edges.size()) + " updates)";
  edges.resize(max_edges);
  std::ranges::sort(edges, {}, &Edge::ends);
}

/// Returns the number of hops from `start` to each node, over edges taken forward or backward; `far` without
/// a path.
std::vector<std::uint32_t> distances(const std::vector<Edge>& edges, std::size_t nodes, std::uint32_t start,
                                     bool forward) {
  std::vector<std::vector<std::uint32_t>> next(nodes);
  for (const auto& edge : edges) {
    const auto [from, to] = edge.ends;
    forward ? next[from].push_back(to) : next[to].push_back(from);
  }
  std::vector<std::uint32_t> hops(nodes, far);
  hops[start] = 0;
  std::vector<std::uint32_t> open{start};
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const auto node : next[open[i]]) {
      if (hops[node] != far) continue;
      hops[node] = hops[open[i]] + 1;
      open.push_back(node);
    }
  }
  return hops;
}

/// Chooses nodes between two ends, until there are enough: the highest after each number of hops, each with
/// one path to both ends.
std::set<std::uint32_t> choose_between(const std::vector<Edge>& edges, const std::vector<std::uint32_t>& hops,
                                       std::uint32_t start, std::uint32_t end) {
  std::map<std::uint32_t, std::uint32_t> best_before, best_after;
  std::vector<std::set<std::uint32_t, std::greater<>>> between(hops[end]);
  for (const auto& edge : edges) {
    const auto [from, to] = edge.ends;
    auto& before = best_before.try_emplace(to, from).first->second;
    before = std::max(before, from);
    auto& after = best_after.try_emplace(from, to).first->second;
    after = std::max(after, to);
    if (from != start) between[hops[from]].insert(from);
  }
  std::set<std::uint32_t> chosen{start, end};
  for (bool left = true; left && chosen.size() < max_between;) {
    left = false;
    for (auto& layer : between) {
      if (layer.empty()) continue;
      left = true;
      const auto node = *layer.begin();
      layer.erase(layer.begin());
      for (auto at = node; at != start && chosen.insert(at).second;) at = best_before.at(at);
      for (auto at = best_after.at(node); at != end && chosen.insert(at).second;) at = best_after.at(at);
    }
  }
  return chosen;
}

/// Returns the edges on shortest paths from one node to another.
std::vector<Edge> ways_between(std::vector<Edge> edges, std::size_t nodes, std::uint32_t start,
                               std::uint32_t end, std::string& title) {
  const auto from_start = distances(edges, nodes, start, true), to_end = distances(edges, nodes, end, false);
  std::erase_if(edges, [&](const Edge& edge) {
    const auto [from, to] = edge.ends;
    return from_start[from] == far || to_end[to] == far ||
           from_start[from] + 1 + to_end[to] != from_start[end];
  });
  if (edges.empty()) return edges;
  const auto chosen = choose_between(edges, from_start, start, end);
  const auto all = edges.size();
  std::erase_if(edges, [&](const Edge& edge) {
    return !chosen.contains(edge.ends.first) || !chosen.contains(edge.ends.second);
  });
  if (edges.size() < all) {
    title += (title.empty() ? "" : " ") + ("(" + std::to_string(edges.size())) + " of " +
             std::to_string(all) + " updates on the shortest paths)";
  }
  return edges;
}

Picture of_edges(const UpdateGraph& graph, const std::vector<Edge>& edges,
                 const std::set<std::uint32_t>& asked_for, bool all_nodes = false) {
  Picture picture;
  std::map<std::uint32_t, std::uint32_t> places;
  for (std::uint32_t node = 0; all_nodes && node < graph.nodes.size(); ++node) places.emplace(node, 0);
  for (const auto node : asked_for) places.emplace(node, 0);
  for (const auto& edge : edges) {
    places.emplace(edge.ends.first, 0);
    places.emplace(edge.ends.second, 0);
  }
  for (auto& [node, place] : places) {
    place = static_cast<std::uint32_t>(picture.nodes.size());
    picture.nodes.push_back({{graph.nodes[node].version}, asked_for.contains(node)});
  }
  for (const auto& edge : edges) {
    Picture::Edge line{places.at(edge.ends.first), places.at(edge.ends.second), edge.group != nullptr, {}};
    if (edge.group != nullptr) {
      for (const auto& risk : edge.group->risks) line.labels.push_back(risk.name);
    }
    picture.edges.push_back(std::move(line));
  }
  return picture;
}

std::string counted(std::size_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

/// Returns a picture with one node per minor version.
Picture overview(const UpdateGraph& graph) {
  Picture picture;
  std::vector<std::uint32_t> minor_of;
  std::vector<std::size_t> releases;
  for (const auto& node : graph.nodes) {
    const auto version = Version::parse(node.version);
    const auto minor = version ? version->minor_text() : node.version;
    if (picture.nodes.empty() || picture.nodes.back().lines.front() != minor) {
      picture.nodes.push_back({{minor}, false});
      releases.push_back(0);
    }
    ++releases.back();
    minor_of.push_back(static_cast<std::uint32_t>(picture.nodes.size() - 1));
  }
  for (std::size_t i = 0; i < releases.size(); ++i)
    picture.nodes[i].lines.push_back(counted(releases[i], "release"));

  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::size_t> counts;
  for (const auto& edge : edges_of(graph)) {
    ++counts[{minor_of[edge.ends.first], minor_of[edge.ends.second], edge.group != nullptr}];
  }
  for (const auto& [line, count] : counts) {
    const auto [from, to, conditional] = line;
    picture.edges.push_back(
        {from, to, conditional, {std::to_string(count) + (conditional ? " conditional" : " recommended")}});
  }
  return picture;
}

Result<std::optional<std::uint32_t>> find_end(const UpdateGraph& graph, const std::string& version) {
  if (version.empty()) return std::optional<std::uint32_t>();
  const auto node = graph.find(version);
  if (!node) {
    return fail(ErrorCode::not_found, "drawing the graph: there is no release " + printable(version, 80) +
                                          " in it; name one that the channel and architecture have");
  }
  return node;
}

}  // namespace

Result<std::string> draw(const UpdateGraph& graph, PictureFormat format, const PictureOptions& options) {
  const auto from = find_end(graph, options.from), to = find_end(graph, options.to);
  if (!from) return fail(from.error());
  if (!to) return fail(to.error());
  std::string title = options.title;
  Picture picture;
  if (!*from && !*to && graph.nodes.size() <= max_single_versions) {
    auto edges = edges_of(graph);
    cut_edges(edges, title);
    picture = of_edges(graph, edges, {}, true);
  } else if (!*from && !*to) {
    picture = overview(graph);
  } else {
    auto edges = edges_of(graph);
    std::set<std::uint32_t> asked_for;
    if (*from) asked_for.insert(**from);
    if (*to) asked_for.insert(**to);
    if (*from && *to) {
      edges = ways_between(std::move(edges), graph.nodes.size(), **from, **to, title);
    } else {
      std::erase_if(edges, [&](const Edge& edge) {
        return *from ? edge.ends.first != **from : edge.ends.second != **to;
      });
    }
    cut_edges(edges, title);
    picture = of_edges(graph, edges, asked_for);
  }
  picture.title = std::move(title);
  return to_text(picture, format);
}

std::string draw_updates(const std::vector<DrawnUpdate>& updates, const std::vector<std::string>& asked_for,
                         PictureFormat format, std::string title) {
  const auto shown = std::min(updates.size(), max_edges);
  if (shown < updates.size()) {
    title += (title.empty() ? "" : " ") + ("(" + std::to_string(shown)) + " of " +
             std::to_string(updates.size()) + " updates)";
  }
  std::map<Version, std::string> versions;
  const auto add = [&](const std::string& text) {
    if (auto version = Version::parse(text)) versions.emplace(std::move(*version), text);
  };
  for (std::size_t i = 0; i < shown; ++i) {
    add(updates[i].from);
    add(updates[i].to);
  }
  for (const auto& text : asked_for) add(text);
  Picture picture;
  std::map<std::string_view, std::uint32_t> places;
  for (const auto& [version, text] : versions) {
    places.emplace(text, static_cast<std::uint32_t>(picture.nodes.size()));
    picture.nodes.push_back({{text}, std::ranges::find(asked_for, text) != asked_for.end()});
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const auto from = places.find(updates[i].from), to = places.find(updates[i].to);
    if (from == places.end() || to == places.end()) continue;
    picture.edges.push_back({from->second, to->second, updates[i].dashed, updates[i].labels});
  }
  picture.title = std::move(title);
  return to_text(picture, format);
}

}  // namespace fairway::graph
