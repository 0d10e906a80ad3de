// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/plan/planned_paths.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "adm/internal/plan/offered_updates.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;

/// Collects names of risks, each once.
class Names {
 public:
  explicit Names(const graph::MergedGraph& graph) : graph_(graph), seen_(graph.names) {}

  void add(std::uint32_t risk) {
    const std::uint32_t name = graph_.name_of[risk];
    if (seen_[name]) return;
    seen_[name] = true;
    risks_.push_back(risk);
  }
  /// Returns the names, and forgets them. `are_shown`: false if they are counted only.
  RiskNames take(bool are_shown) {
    const std::size_t shown = are_shown ? std::min(most_risks, risks_.size()) : 0;
    const auto name = [&](std::uint32_t risk) -> const std::string& { return graph_.risks[risk].name; };
    std::ranges::partial_sort(risks_, risks_.begin() + static_cast<std::ptrdiff_t>(shown), {}, name);
    RiskNames taken{.more = risks_.size() - shown};
    for (std::size_t i = 0; i < shown; ++i) taken.names.push_back(name(risks_[i]));
    for (const std::uint32_t risk : risks_) seen_[graph_.name_of[risk]] = false;
    risks_.clear();
    return taken;
  }

 private:
  const graph::MergedGraph& graph_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> risks_;
};

/// Makes one path.
class PathMaker {
 public:
  PathMaker(const JudgedGraph& known, const ClusterVersion& cluster, const PathPositions& path)
      : known_(known),
        graph_(*known.graph),
        cluster_(cluster),
        path_(path),
        of_path_(graph_),
        open_(graph_),
        applying_(graph_),
        unknown_(graph_) {}

  PlannedPath make(const std::stop_token& stop);

 private:
  void choose_channel(std::size_t hop, PlannedHop& planned);
  std::uint32_t best_channel(std::size_t hop) const;
  void add_risks(std::size_t hop, PlannedHop& planned);
  void keep_risk(std::uint32_t risk, PlannedHop& planned) const;

  const JudgedGraph& known_;
  const graph::MergedGraph& graph_;
  const ClusterVersion& cluster_;
  const PathPositions& path_;
  std::string channel_;
  Names of_path_, open_, applying_, unknown_;
};

/// Returns the channel to change to before a hop: one of the cluster's stream if it has the hop, of these the
/// one that has the most of the hops that follow, then the last in byte order, as the client names channels.
std::uint32_t PathMaker::best_channel(std::size_t hop) const {
  const auto has = [&](std::size_t at, std::uint32_t channel) {
    return std::ranges::binary_search(graph_.updates[path_[at]].channels, channel);
  };
  const auto rank = [&](std::uint32_t channel) {
    std::size_t end = hop;
    while (end < path_.size() && has(end, channel)) ++end;
    return std::tuple<bool, std::size_t, std::string_view>(known_.preferred[channel], end,
                                                           graph_.channels[channel]);
  };
  const auto& channels = graph_.updates[path_[hop]].channels;
  return *std::ranges::max_element(channels, [&](auto a, auto b) { return rank(a) < rank(b); });
}

void PathMaker::choose_channel(std::size_t hop, PlannedHop& planned) {
  const auto& update = graph_.updates[path_[hop]];
  if (std::ranges::none_of(update.channels, [&](auto one) { return graph_.channels[one] == channel_; })) {
    planned.changes_channel = true;
    channel_ = graph_.channels[best_channel(hop)];
    std::vector<std::string> listed = graph_.releases[update.from].channels;
    if (hop == 0) {
      const auto of_cluster = cluster_.desired().channels();
      listed.assign(of_cluster.begin(), of_cluster.end());
    }
    // Where no channel is known, the client lets any one through.
    planned.channel_is_listed = listed.empty() || std::ranges::find(listed, channel_) != listed.end();
  }
  planned.channel = channel_;
}

void PathMaker::keep_risk(std::uint32_t risk, PlannedHop& planned) const {
  planned.risks.push_back({.risk = {known_.graph, &graph_.risks[risk]},
                           .judged = known_.judged[risk].value_or(JudgedRisk{}),
                           .is_of_operator = known_.is_of_operator[risk]});
}

void PathMaker::add_risks(std::size_t hop, PlannedHop& planned) {
  const auto& risks = graph_.risks_of(graph_.updates[path_[hop]]);
  planned.is_offered = !known_.not_offered.contains(path_[hop]);
  for (const std::uint32_t risk : risks) {
    if (!known_.counts(risk)) continue;
    of_path_.add(risk);
    open_.add(risk);
    const bool applies = known_.judged[risk] && known_.judged[risk]->state == RiskState::applies;
    if (applies && !known_.is_of_operator[risk]) applying_.add(risk);
    planned.is_objected_to = planned.is_objected_to || (applies && known_.is_of_operator[risk]);
    if (!applies && (planned.is_offered || graph_.risks[risk].name != not_offered)) unknown_.add(risk);
  }
  const bool are_shown = hop < most_hops;
  planned.open = open_.take(are_shown);
  planned.applying = applying_.take(are_shown);
  planned.unknown = unknown_.take(are_shown);
  const bool has_room = risks.size() <= most_risks;
  // Where not all have room, the operator's word comes first, then what counts; else their order is that of
  // the graph.
  const auto turn_of = [&](std::uint32_t risk) {
    return has_room || known_.is_of_operator[risk] ? 0 : known_.counts(risk) ? 1 : 2;
  };
  for (const int turn : {0, 1, 2}) {
    for (const std::uint32_t risk : risks) {
      if (!are_shown || planned.risks.size() == most_risks) break;
      if (turn_of(risk) == turn) keep_risk(risk, planned);
    }
  }
  planned.more_risks = risks.size() - planned.risks.size();
}

PlannedPath PathMaker::make(const std::stop_token& stop) {
  PlannedPath planned{.leaves_stream = leaves_stream(known_, path_)};
  channel_ = cluster_.channel();
  for (std::size_t i = 0; i < path_.size() && !stop.stop_requested(); ++i) {
    const auto& update = graph_.updates[path_[i]];
    const auto &from = graph_.releases[update.from], &to = graph_.releases[update.to];
    PlannedHop hop{.from = from.version, .to = to.version, .image = to.image};
    hop.changes_minor = from.number.minor_text() != to.number.minor_text();
    choose_channel(i, hop);
    add_risks(i, hop);
    planned.hops.push_back(std::move(hop));
  }
  planned.open = of_path_.take(true);
  return planned;
}

}  // namespace

bool leaves_stream(const JudgedGraph& known, const PathPositions& path) {
  return std::ranges::any_of(path, [&](std::uint32_t update) {
    return std::ranges::none_of(known.graph->updates[update].channels,
                                [&](std::uint32_t channel) { return known.preferred[channel]; });
  });
}

PlannedPath planned_path(const JudgedGraph& known, const ClusterVersion& cluster, const PathPositions& path,
                         const std::stop_token& stop) {
  return PathMaker(known, cluster, path).make(stop);
}

}  // namespace fairway::adm
