// SPDX-License-Identifier: Apache-2.0

#include "graph/paths.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "graph/asked_version.h"
#include "graph/internal/path_search.h"
#include "graph/internal/reachable.h"

namespace fairway::graph {
namespace {

/// Most partial paths that one search visits: some tens of milliseconds.
constexpr std::size_t max_labels = 60'000;
/// Hops that a path with fewer risks may have more than the shortest one.
constexpr std::size_t more_hops = 8;
constexpr std::size_t max_names = 6;
constexpr std::uint32_t outside = UINT32_MAX;

/// Returns, for each release, whether it is reached from `start` over edges taken forward or backward.
std::vector<bool> reached(const std::vector<const SnapshotEdge*>& edges, std::size_t releases,
                          std::uint32_t start, bool forward) {
  std::vector<std::vector<std::uint32_t>> next(releases);
  for (const auto* edge : edges) {
    forward ? next[edge->from].push_back(edge->to) : next[edge->to].push_back(edge->from);
  }
  return reachable(next, start);
}

/// The edges of several channels of one architecture, as far as they lie between two releases.
class Between {
 public:
  Between(const View& view, const Architecture& architecture, const std::vector<std::uint32_t>& channels,
          const std::vector<std::string>& avoid)
      : view_(view),
        architecture_(architecture),
        channels_(channels),
        avoid_(avoid.begin(), avoid.end()),
        position_(architecture.releases.size()) {
    in_channel_.resize(channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i) {
      in_channel_[i].resize(architecture.releases.size());
      for (const auto release : architecture.members[channels[i]]) in_channel_[i][release] = true;
    }
  }

  /// Fills in the paths, the one with the fewest risks, and the unknown risks.
  void find(std::uint32_t from, std::uint32_t to, std::size_t count, PathAnswer& answer);
  bool has_member(std::uint32_t release) const {
    return std::ranges::any_of(in_channel_, [&](const auto& members) { return members[release]; });
  }
  /// Returns the highest release that some path from `start` leads to; `start` itself if there is none.
  std::uint32_t highest_after(std::uint32_t start);

 private:
  bool is_avoided(const SnapshotEdge& edge) const;
  void select_edges();
  void record_unknown_risks(PathAnswer& answer) const;
  /// Returns the first of the channels that contains both ends of an edge, or `outside`.
  std::uint32_t channel_of(const SnapshotEdge& edge) const;
  void select(std::uint32_t from, std::uint32_t to);
  void number_risks();
  Path to_path(const NodePath& nodes) const;

  const View& view_;
  const Architecture& architecture_;
  const std::vector<std::uint32_t>& channels_;
  const std::set<std::string, std::less<>> avoid_;
  std::vector<std::vector<bool>> in_channel_;
  std::vector<const SnapshotEdge*> edges_;
  std::vector<std::uint32_t> releases_;  ///< release of each node of `graph_`
  std::vector<std::uint32_t> position_;  ///< node of each release, or `outside`
  SearchGraph graph_;
};

std::uint32_t Between::channel_of(const SnapshotEdge& edge) const {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (in_channel_[i][edge.from] && in_channel_[i][edge.to]) return channels_[i];
  }
  return outside;
}

bool Between::is_avoided(const SnapshotEdge& edge) const {
  if (avoid_.empty()) return false;
  return std::ranges::any_of(view_.risks_in(view_.risk_list(edge.risk_set)),
                             [&](std::uint32_t risk) { return avoid_.contains(view_.risk(risk).name); });
}

/// Selects the edges of these channels without the risks to avoid.
void Between::select_edges() {
  edges_.clear();
  for (const auto& edge : architecture_.edges) {
    if (channel_of(edge) != outside && !is_avoided(edge)) edges_.push_back(&edge);
  }
}

void Between::record_unknown_risks(PathAnswer& answer) const {
  std::set<std::string_view> known;
  if (avoid_.empty()) return;
  for (const auto& edge : architecture_.edges) {
    if (channel_of(edge) == outside) continue;
    for (const auto risk : view_.risks_in(view_.risk_list(edge.risk_set)))
      known.insert(view_.risk(risk).name);
  }
  for (const auto& name : avoid_) {
    if (!known.contains(name)) answer.unknown_risks.push_back(name);
  }
}

std::uint32_t Between::highest_after(std::uint32_t start) {
  select_edges();
  const auto after = reached(edges_, architecture_.releases.size(), start, true);
  for (auto release = static_cast<std::uint32_t>(after.size()); release-- > start;) {
    if (after[release]) return release;
  }
  return start;
}

void Between::select(std::uint32_t from, std::uint32_t to) {
  select_edges();
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

/// Numbers the risks by name. Two risks of one name are one, since users accept risks by name.
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

void Between::find(std::uint32_t from, std::uint32_t to, std::size_t count, PathAnswer& answer) {
  record_unknown_risks(answer);
  select(from, to);
  if (position_[from] == outside || position_[to] == outside) return;
  number_risks();
  const auto start = position_[from], end = position_[to];
  const auto found = search_paths(graph_, start, end, count, max_labels);
  if (found.empty()) return;
  std::uint32_t fewest = UINT32_MAX;
  for (const auto& nodes : found) {
    answer.paths.push_back(to_path(nodes));
    fewest = std::min(fewest, number_of_risks(graph_, nodes));
  }
  if (fewest == 0) return;
  const auto other =
      search_fewest_risks(graph_, start, end, found.front().size() - 1 + more_hops, max_labels);
  if (other && number_of_risks(graph_, *other) < fewest) answer.fewest_risks = to_path(*other);
}

std::string names_of(std::vector<std::string> names) {
  if (names.size() > max_names) {
    const auto more = names.size() - max_names;
    names.resize(max_names);
    return join(names, ", ") + " and " + std::to_string(more) + " more";
  }
  return join(names, ", ");
}

/// Answers a question: finds paths, or the first reason why there is none.
class Finder {
 public:
  Finder(const View& view, const PathQuestion& question) : view_(view), question_(question) {}

  PathAnswer run();

 private:
  std::string at(std::uint32_t release) const { return architecture_->releases[release].text; }
  void record_channels();
  std::optional<std::uint32_t> find(std::string_view version);
  std::string no_channel() const { return "there is no channel " + printable(names_of(unknown_), 400); }
  std::string why_none(Between& between, std::uint32_t from, std::uint32_t to) const;

  const View& view_;
  const PathQuestion& question_;
  const Architecture* architecture_ = nullptr;
  std::vector<std::uint32_t> channels_;
  std::vector<std::string> unknown_;
  PathAnswer answer_;
};

void Finder::record_channels() {
  for (const auto& name : question_.channels) {
    const auto index = view_.snapshot().find_channel(name);
    if (!index || !view_.sees_channel(*index)) {
      if (std::ranges::find(unknown_, name) == unknown_.end()) unknown_.push_back(name);
    } else if (std::ranges::find(channels_, *index) == channels_.end()) {
      channels_.push_back(*index);
    }
  }
}

std::optional<std::uint32_t> Finder::find(std::string_view version) {
  const auto text = without_architecture(version, question_.arch);
  const auto release = view_.sees_version(text, question_.arch) ? architecture_->find(text) : std::nullopt;
  if (!release && answer_.reason.empty())
    answer_.reason = "there is no release " + printable(version, 80) + " for " + question_.arch;
  return release;
}

std::string Finder::why_none(Between& between, std::uint32_t from, std::uint32_t to) const {
  const auto channels = (question_.channels.size() == 1 ? "channel " : "the channels ") +
                        printable(names_of(question_.channels), 400);
  for (const auto release : {from, to}) {
    if (!between.has_member(release))
      return at(release) + " is not in " + channels + (unknown_.empty() ? "" : "; " + no_channel());
  }
  if (from == to) return "a release does not update to itself";
  if (to < from) return at(to) + " is older than " + at(from);
  if (!question_.avoid.empty()) {
    PathAnswer others;
    Between(view_, *architecture_, channels_, {}).find(from, to, 1, others);
    if (!others.paths.empty()) {
      return "each path has one of the risks to avoid; the shortest has " +
             printable(names_of(risks_of(others.paths.front())), 400);
    }
  }
  const auto highest = between.highest_after(from);
  return (highest == from
              ? "no update leads out of " + at(from)
              : "updates out of " + at(from) + " lead up to " + at(highest) + " and not to " + at(to)) +
         " in " + channels + "; more channels may open a path";
}

PathAnswer Finder::run() {
  record_channels();
  architecture_ = view_.snapshot().find_architecture(question_.arch);
  if (channels_.empty()) {
    answer_.reason = unknown_.empty() ? "no channel is named" : no_channel();
  } else if (architecture_ == nullptr) {
    answer_.reason = "there are no releases for the architecture " + printable(question_.arch, 80);
  }
  if (!answer_.reason.empty()) return std::move(answer_);
  const auto from = find(question_.from), to = find(question_.to);
  if (!from || !to) return std::move(answer_);
  Between between(view_, *architecture_, channels_, question_.avoid);
  between.find(*from, *to, question_.count, answer_);
  if (answer_.paths.empty()) answer_.reason = why_none(between, *from, *to);
  return std::move(answer_);
}

json::Object path_to_json(const Path& path) {
  json::Array hops;
  for (const auto& hop : path) {
    hops.push_back(json::Object{{"from", hop.from},
                                {"to", hop.to},
                                {"channel", hop.channel},
                                {"risks", json::Array(hop.risks.begin(), hop.risks.end())}});
  }
  return json::Object{{"hops", std::move(hops)}};
}

}  // namespace

std::vector<std::string> risks_of(const Path& path) {
  std::set<std::string> names;
  for (const auto& hop : path) names.insert(hop.risks.begin(), hop.risks.end());
  return {names.begin(), names.end()};
}

PathAnswer find_paths(const View& view, const PathQuestion& question) {
  return Finder(view, question).run();
}

json::Object PathAnswer::to_json() const {
  json::Array list;
  for (const auto& path : paths) list.push_back(path_to_json(path));
  json::Object answer{{"paths", std::move(list)}};
  if (fewest_risks) answer["fewestRisks"] = path_to_json(*fewest_risks);
  if (!reason.empty()) answer["reason"] = reason;
  if (!unknown_risks.empty())
    answer["unknownRisks"] = json::Array(unknown_risks.begin(), unknown_risks.end());
  return answer;
}

}  // namespace fairway::graph
