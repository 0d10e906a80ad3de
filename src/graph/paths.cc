#include "graph/paths.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/internal/path_search.h"
#include "graph/internal/reachable.h"

namespace fairway::graph {
namespace {

/// Partial paths that one search visits: some tens of milliseconds.
constexpr std::size_t max_labels = 60'000;
constexpr std::uint32_t outside = UINT32_MAX;

/// The edges of several channels of one architecture, as far as they lie between two releases.
class Between {
 public:
  Between(const View& view, const Architecture& architecture, const std::vector<std::uint32_t>& channels)
      : view_(view),
        architecture_(architecture),
        channels_(channels),
        position_(architecture.releases.size()) {
    in_channel_.resize(channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i) {
      in_channel_[i].resize(architecture.releases.size());
      for (const auto release : architecture.members[channels[i]]) in_channel_[i][release] = true;
    }
  }

  std::vector<Path> find(std::uint32_t from, std::uint32_t to, std::size_t count);

 private:
  /// Which of the channels has an edge between two releases; the first one, or `outside`.
  std::uint32_t channel_of(const SnapshotEdge& edge) const;
  void select(std::uint32_t from, std::uint32_t to);
  void number_risks();
  Path to_path(const NodePath& nodes) const;

  const View& view_;
  const Architecture& architecture_;
  const std::vector<std::uint32_t>& channels_;
  std::vector<std::vector<bool>> in_channel_;
  std::vector<const SnapshotEdge*> edges_;
  std::vector<std::uint32_t> releases_;  ///< of each node of `graph_`
  std::vector<std::uint32_t> position_;  ///< of each release: its node, or `outside`
  SearchGraph graph_;
};

std::uint32_t Between::channel_of(const SnapshotEdge& edge) const {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (in_channel_[i][edge.from] && in_channel_[i][edge.to]) return channels_[i];
  }
  return outside;
}

/// Whether each release is reached from `start` over edges taken forward or backward.
std::vector<bool> reached(const std::vector<const SnapshotEdge*>& edges, std::size_t releases,
                          std::uint32_t start, bool forward) {
  std::vector<std::vector<std::uint32_t>> next(releases);
  for (const auto* edge : edges) {
    forward ? next[edge->from].push_back(edge->to) : next[edge->to].push_back(edge->from);
  }
  return reachable(next, start);
}

void Between::select(std::uint32_t from, std::uint32_t to) {
  for (const auto& edge : architecture_.edges) {
    if (channel_of(edge) != outside) edges_.push_back(&edge);
  }
  const auto count = architecture_.releases.size();
  const auto after = reached(edges_, count, from, true);
  const auto before = reached(edges_, count, to, false);
  std::erase_if(edges_, [&](const SnapshotEdge* edge) { return !after[edge->from] || !before[edge->to]; });
  for (std::uint32_t release = 0; release < count; ++release) {
    position_[release] = outside;
    if (!after[release] || !before[release]) continue;
    position_[release] = static_cast<std::uint32_t>(releases_.size());
    releases_.push_back(release);
  }
  graph_.out.resize(releases_.size());
  for (const auto* edge : edges_) {
    graph_.out[position_[edge->from]].push_back({position_[edge->to], view_.risk_list(edge->risk_set)});
  }
}

/// Two risks of one name are one: a name is what people accept.
void Between::number_risks() {
  std::map<std::string_view, std::size_t> numbers;
  std::set<std::uint32_t> used;
  for (const auto* edge : edges_) used.insert(view_.risk_list(edge->risk_set));
  for (const auto set : used) {
    for (const auto risk : view_.risks_in(set)) numbers.emplace(view_.risk(risk).name, numbers.size());
  }
  graph_.words = numbers.size() / 64 + 1;
  graph_.sets.assign(view_.snapshot().risk_sets.size() * graph_.words, 0);
  for (const auto set : used) {
    for (const auto risk : view_.risks_in(set)) {
      const auto bit = numbers.at(view_.risk(risk).name);
      graph_.sets[set * graph_.words + bit / 64] |= std::uint64_t{1} << bit % 64;
    }
  }
}

Path Between::to_path(const NodePath& nodes) const {
  Path path;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const auto* edge = architecture_.find_edge(releases_[nodes[i]], releases_[nodes[i + 1]]);
    Hop hop{.from = architecture_.releases[edge->from].text,
            .to = architecture_.releases[edge->to].text,
            .channel = view_.snapshot().channels[channel_of(*edge)].name};
    for (const auto risk : view_.risks_in(view_.risk_list(edge->risk_set)))
      hop.risks.push_back(view_.risk(risk).name);
    path.push_back(std::move(hop));
  }
  return path;
}

std::vector<Path> Between::find(std::uint32_t from, std::uint32_t to, std::size_t count) {
  select(from, to);
  std::vector<Path> paths;
  if (position_[from] == outside || position_[to] == outside) return paths;
  number_risks();
  for (const auto& nodes : search_paths(graph_, position_[from], position_[to], count, max_labels)) {
    paths.push_back(to_path(nodes));
  }
  return paths;
}

}  // namespace

std::vector<Path> find_paths(const View& view, const std::vector<std::string>& channels,
                             std::string_view arch, std::string_view from, std::string_view to,
                             std::size_t count) {
  const Snapshot& snapshot = view.snapshot();
  const auto* architecture = snapshot.find_architecture(arch);
  if (architecture == nullptr || !view.sees_version(from, arch) || !view.sees_version(to, arch)) return {};
  const auto start = architecture->find(from), end = architecture->find(to);
  if (!start || !end) return {};
  std::vector<std::uint32_t> seen;
  for (const auto& name : channels) {
    const auto index = snapshot.find_channel(name);
    if (index && view.sees_channel(*index) && std::ranges::find(seen, *index) == seen.end())
      seen.push_back(*index);
  }
  return Between(view, *architecture, seen).find(*start, *end, count);
}

json::Object paths_to_json(const std::vector<Path>& paths) {
  json::Array list;
  for (const auto& path : paths) {
    json::Array hops;
    for (const auto& hop : path) {
      hops.push_back(json::Object{{"from", hop.from},
                                  {"to", hop.to},
                                  {"channel", hop.channel},
                                  {"risks", json::Array(hop.risks.begin(), hop.risks.end())}});
    }
    list.push_back(json::Object{{"hops", std::move(hops)}});
  }
  return json::Object{{"paths", std::move(list)}};
}

}  // namespace fairway::graph
