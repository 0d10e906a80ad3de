// SPDX-License-Identifier: Apache-2.0

#include "graph/merged_graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace fairway::graph {
namespace {

/// Collects the parts of a merged graph under names, and gives them positions at the end.
class Merger {
 public:
  Merger(MergedGraph& merged, std::size_t max_entries) : merged_(merged), entries_left_(max_entries) {}

  void add_releases(const UpdateGraph& graph);
  void number_releases();
  void add_updates(const std::string& channel, const UpdateGraph& graph);
  void finish(const std::stop_token& stop);

 private:
  using Numbers = std::vector<std::uint32_t>;
  struct Found {
    Numbers channels;
    /// Numbers of groups of risks, and not the risks: a group may have thousands, and so may its updates.
    std::set<std::uint32_t> groups;
  };
  std::uint32_t number_of(const Risk& risk);
  std::uint32_t number_of(const std::string& channel);
  void add(const UpdateGraph& graph, const IndexPair& edge, std::uint32_t channel,
           std::optional<std::uint32_t> group);
  std::optional<std::uint32_t> list_of(const std::set<std::uint32_t>& groups);

  MergedGraph& merged_;
  std::unordered_map<std::string, std::uint32_t> releases_, bodies_, names_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Found> updates_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> left_out_;
  std::size_t entries_left_;  ///< entries that updates and the lists of risks may still have
  /// Groups of risks, each once, and their numbers in the order in which they were found.
  std::map<Numbers, std::uint32_t> group_numbers_;
  std::vector<const Numbers*> groups_;
  /// Positions of lists in the merged graph, by their groups and by their risks.
  std::map<std::set<std::uint32_t>, std::uint32_t> lists_of_groups_;
  std::map<Numbers, std::uint32_t> lists_{{{}, 0}};
};

void Merger::add_releases(const UpdateGraph& graph) {
  for (const Node& node : graph.nodes) {
    auto number = Version::parse(node.version);
    if (!number || !releases_.emplace(node.version, 0).second) continue;
    MergedGraph::Release release{
        .version = node.version, .number = *std::move(number), .image = node.payload};
    for (const std::string_view channel : split(node.find_metadata(channels_key), ','))
      if (!trim(channel).empty()) release.channels.emplace_back(trim(channel));
    merged_.releases.push_back(std::move(release));
  }
}

void Merger::number_releases() {
  std::ranges::sort(merged_.releases, {}, &MergedGraph::Release::number);
  for (std::uint32_t i = 0; i < merged_.releases.size(); ++i) releases_[merged_.releases[i].version] = i;
}

std::uint32_t Merger::number_of(const Risk& risk) {
  const auto next = static_cast<std::uint32_t>(merged_.risks.size());
  const auto [body, is_new] = bodies_.emplace(risk.body(), next);
  if (is_new) {
    const auto name = names_.emplace(risk.name, static_cast<std::uint32_t>(names_.size())).first;
    merged_.risks.push_back(risk);
    merged_.name_of.push_back(name->second);
  }
  return body->second;
}

std::uint32_t Merger::number_of(const std::string& channel) {
  const auto at = std::ranges::find(merged_.channels, channel);
  const auto number = static_cast<std::uint32_t>(at - merged_.channels.begin());
  if (at == merged_.channels.end()) merged_.channels.push_back(channel);
  return number;
}

void Merger::add(const UpdateGraph& graph, const IndexPair& edge, std::uint32_t channel,
                 std::optional<std::uint32_t> group) {
  const auto from = releases_.find(graph.nodes[edge.first].version),
             to = releases_.find(graph.nodes[edge.second].version);
  if (from == releases_.end() || to == releases_.end() || from->second >= to->second) return;
  const std::pair ends(from->second, to->second);
  if (!is_one_step(merged_.releases[ends.first].number, merged_.releases[ends.second].number)) {
    left_out_.insert(ends);
    return;
  }
  const auto known = updates_.find(ends);
  if (known == updates_.end() && entries_left_ < update_entries) {
    merged_.is_complete = false;
    return;
  }
  if (known == updates_.end()) entries_left_ -= update_entries;
  Found& found = known == updates_.end() ? updates_[ends] : known->second;
  if (found.channels.empty() || found.channels.back() != channel) found.channels.push_back(channel);
  if (group) found.groups.insert(*group);
}

void Merger::add_updates(const std::string& channel, const UpdateGraph& graph) {
  const std::uint32_t number = number_of(channel);
  for (const IndexPair& edge : graph.edges) add(graph, edge, number, std::nullopt);
  for (const ConditionalEdges& group : graph.conditional_edges) {
    std::set<std::uint32_t> risks;
    for (const Risk& risk : group.risks) risks.insert(number_of(risk));
    const auto [at, is_new] = group_numbers_.emplace(Numbers(risks.begin(), risks.end()),
                                                     static_cast<std::uint32_t>(groups_.size()));
    if (is_new) groups_.push_back(&at->first);
    for (const IndexPair& edge : group.edges) add(graph, edge, number, at->second);
  }
}

/// Returns the position of the list with the risks of all these groups; std::nullopt: there is no room for
/// it.
std::optional<std::uint32_t> Merger::list_of(const std::set<std::uint32_t>& groups) {
  if (const auto known = lists_of_groups_.find(groups); known != lists_of_groups_.end()) return known->second;
  std::size_t entries = groups.size();
  for (const std::uint32_t group : groups) entries += groups_[group]->size();
  if (entries > entries_left_) return std::nullopt;
  entries_left_ -= entries;
  std::set<std::uint32_t> all;
  for (const std::uint32_t group : groups) all.insert(groups_[group]->begin(), groups_[group]->end());
  const auto [list, is_new] =
      lists_.emplace(Numbers(all.begin(), all.end()), static_cast<std::uint32_t>(lists_.size()));
  if (is_new) merged_.risk_lists.push_back(list->first);
  lists_of_groups_.emplace(groups, list->second);
  return list->second;
}

void Merger::finish(const std::stop_token& stop) {
  merged_.names = names_.size();
  for (auto& [ends, found] : updates_) {
    const auto list = stop.stop_requested() ? std::nullopt : list_of(found.groups);
    if (!list) {
      merged_.is_complete = false;
      continue;
    }
    std::ranges::sort(found.channels);
    const auto repeated = std::ranges::unique(found.channels);
    found.channels.erase(repeated.begin(), repeated.end());
    merged_.updates.push_back({ends.first, ends.second, *list, std::move(found.channels)});
  }
  for (const auto& [from, to] : left_out_)
    merged_.left_out.emplace_back(merged_.releases[from].version, merged_.releases[to].version);
}

}  // namespace

std::optional<std::uint32_t> MergedGraph::find(std::string_view version) const {
  const auto at = std::ranges::find(releases, version, &Release::version);
  if (at == releases.end()) return std::nullopt;
  return static_cast<std::uint32_t>(at - releases.begin());
}

bool is_one_step(const Version& from, const Version& to) {
  if (from.major() == to.major()) return to.minor() <= from.minor() + 1;
  return from.major() == 4 && to.major() == 5 && to.minor() == 0;
}

MergedGraph merge(const std::vector<ChannelGraph>& graphs, std::size_t max_entries,
                  const std::stop_token& stop) {
  MergedGraph merged;
  Merger merger(merged, max_entries);
  for (const ChannelGraph& one : graphs) merger.add_releases(one.graph);
  merger.number_releases();
  for (const ChannelGraph& one : graphs)
    if (!stop.stop_requested()) merger.add_updates(one.channel, one.graph);
  merger.finish(stop);
  if (stop.stop_requested()) merged.is_complete = false;
  return merged;
}

}  // namespace fairway::graph
