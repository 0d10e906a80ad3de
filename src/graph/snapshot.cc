#include "graph/snapshot.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::graph {

std::optional<std::uint32_t> Architecture::find(std::string_view version) const {
  const auto parsed = Version::parse(version);
  if (!parsed) return std::nullopt;
  const auto found =
      std::ranges::lower_bound(releases, parsed->with_build(""), {}, &SnapshotRelease::version);
  if (found == releases.end() || found->text != version) return std::nullopt;
  return static_cast<std::uint32_t>(found - releases.begin());
}

const SnapshotEdge* Architecture::find_edge(std::uint32_t from, std::uint32_t to) const {
  const auto key = [](const SnapshotEdge& edge) { return IndexPair(edge.from, edge.to); };
  const auto found = std::ranges::lower_bound(edges, IndexPair(from, to), {}, key);
  return found != edges.end() && key(*found) == IndexPair(from, to) ? &*found : nullptr;
}

const Architecture* Snapshot::find_architecture(std::string_view name) const {
  const auto found = std::ranges::find(architectures, name, &Architecture::name);
  return found != architectures.end() ? &*found : nullptr;
}

std::optional<std::uint32_t> Snapshot::find_channel(std::string_view name) const {
  const auto found = std::ranges::lower_bound(channels, name, {}, &SnapshotChannel::name);
  if (found == channels.end() || found->name != name) return std::nullopt;
  return static_cast<std::uint32_t>(found - channels.begin());
}

namespace {

std::string visible_channel_names(const Snapshot& snapshot, const SnapshotRelease& release,
                                  const Visibility& visible) {
  std::string names;
  for (const std::uint32_t channel : release.channels) {
    if (!visible[channel]) continue;
    if (!names.empty()) names += ',';
    names += snapshot.channels[channel].name;
  }
  return names;
}

Node to_node(const Snapshot& snapshot, const SnapshotRelease& release, const Visibility& visible) {
  Node node{.version = release.text, .payload = release.payload, .metadata = release.metadata};
  const auto place =
      std::ranges::lower_bound(node.metadata, std::string_view(channels_key), {},
                               [](const auto& entry) { return std::string_view(entry.first); });
  node.metadata.emplace(place, channels_key, visible_channel_names(snapshot, release, visible));
  return node;
}

}  // namespace

UpdateGraph Snapshot::channel_graph(std::string_view channel, std::string_view arch,
                                    const Visibility& visible) const {
  UpdateGraph graph;
  const Architecture* const architecture = find_architecture(arch);
  const auto index = find_channel(channel);
  if (architecture == nullptr || !index || !visible[*index]) return graph;

  const std::vector<std::uint32_t>& members = architecture->members[*index];
  constexpr std::uint32_t outside = UINT32_MAX;
  std::vector<std::uint32_t> position(architecture->releases.size(), outside);
  graph.nodes.reserve(members.size());
  for (const std::uint32_t release : members) {
    position[release] = static_cast<std::uint32_t>(graph.nodes.size());
    graph.nodes.push_back(to_node(*this, architecture->releases[release], visible));
  }

  // Members ascend, and edges are sorted by from: groups are found in the order of their first edge.
  constexpr std::size_t no_group = SIZE_MAX;
  std::vector<std::size_t> group_of(risk_sets.size(), no_group);
  for (const std::uint32_t from : members) {
    auto edge = std::ranges::lower_bound(architecture->edges, from, {}, &SnapshotEdge::from);
    for (; edge != architecture->edges.end() && edge->from == from; ++edge) {
      if (position[edge->to] == outside) continue;
      const IndexPair pair(position[from], position[edge->to]);
      if (edge->risk_set == 0) {
        graph.edges.push_back(pair);
        continue;
      }
      std::size_t& group = group_of[edge->risk_set];
      if (group == no_group) {
        group = graph.conditional_edges.size();
        ConditionalEdges& added = graph.conditional_edges.emplace_back();
        for (const std::uint32_t risk : risk_sets[edge->risk_set]) added.risks.push_back(risks[risk]);
      }
      graph.conditional_edges[group].edges.push_back(pair);
    }
  }
  return graph;
}

bool Snapshot::version_visible(std::string_view version, const Visibility& visible) const {
  const auto found = version_channels.find(version.substr(0, version.find('+')));
  if (found == version_channels.end()) return true;
  return std::ranges::any_of(found->second, [&](std::uint32_t channel) { return visible[channel]; });
}

std::vector<Problem> Snapshot::visible_problems(const Visibility& visible) const {
  std::vector<Problem> shown;
  for (const Problem& problem : problems) {
    const bool channels_shown = std::ranges::all_of(problem.channels, [&](const std::string& name) {
      const auto channel = find_channel(name);
      return !channel || visible[*channel];
    });
    const bool versions_shown = std::ranges::all_of(
        problem.versions, [&](const std::string& version) { return version_visible(version, visible); });
    if (channels_shown && versions_shown) shown.push_back(problem);
  }
  return shown;
}

bool channel_display_less(std::string_view a, std::string_view b) {
  const auto suffix = [](std::string_view name) {
    const std::size_t dash = name.find('-');
    return dash == std::string_view::npos ? name : name.substr(dash + 1);
  };
  const int order = suffix(a).compare(suffix(b));
  return order != 0 ? order < 0 : a < b;
}

}  // namespace fairway::graph
