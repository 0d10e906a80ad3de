// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/usable_updates.h"

#include <algorithm>
#include <ranges>

namespace fairway::graph {
namespace {

bool is_outside_of(const MergedGraph::Update& update, const std::vector<bool>& preferred) {
  return std::ranges::none_of(update.channels, [&](auto channel) { return preferred[channel]; });
}

}  // namespace

UsableUpdates::UsableUpdates(const MergedGraph& graph, const FewestRisksQuestion& question,
                             SearchBudget& budget) {
  select(graph, question, budget);
  set_names(graph, question, budget);
}

bool UsableUpdates::is_within(const Update& update, const RiskNames& set) const {
  const std::uint64_t* names = names_of(update);
  for (std::size_t i = 0; i < words_; ++i)
    if ((names[i] & ~set[i]) != 0) return false;
  return true;
}

/// Selects the updates, and counts hops.
void UsableUpdates::select(const MergedGraph& graph, const FewestRisksQuestion& question,
                           SearchBudget& budget) {
  const auto first = std::ranges::lower_bound(graph.updates, question.from, {}, &MergedGraph::Update::from);
  hops_to_.assign(graph.releases.size(), no_position);
  hops_from_.assign(graph.releases.size(), no_position);
  hops_to_[question.from] = hops_from_[question.to] = 0;
  auto at = first;
  for (; at != graph.updates.end() && at->from < question.to; ++at) {
    if (at->to > question.to || hops_to_[at->from] == no_position) continue;
    const bool outside = is_outside_of(*at, question.preferred);
    if (outside && question.only_preferred) continue;
    hops_to_[at->to] = std::min(hops_to_[at->to], hops_to_[at->from] + 1);
    updates_.push_back({.from = at->from,
                        .to = at->to,
                        .number = static_cast<std::uint32_t>(at - graph.updates.begin()),
                        .is_outside = outside});
  }
  spend(budget, static_cast<std::size_t>(at - first) + graph.releases.size() / 16);
  for (const Update& one : std::views::reverse(updates_)) {
    if (hops_from_[one.to] != no_position)
      hops_from_[one.from] = std::min(hops_from_[one.from], hops_from_[one.to] + 1);
  }
  std::erase_if(updates_, [&](const Update& one) { return hops_from_[one.to] == no_position; });
}

/// Numbers the names that count, and keeps those of each list of risks once.
void UsableUpdates::set_names(const MergedGraph& graph, const FewestRisksQuestion& question,
                              SearchBudget& budget) {
  std::vector<std::uint32_t> name_number(graph.names, no_position),
      list_number(graph.risk_lists.size(), no_position), lists;
  std::uint32_t names = 0;
  std::size_t steps = updates_.size() + (graph.names + graph.risk_lists.size()) / 16;
  for (Update& update : updates_) {
    const std::uint32_t list = graph.updates[update.number].risks;
    if (list_number[list] == no_position) {
      list_number[list] = static_cast<std::uint32_t>(lists.size());
      lists.push_back(list);
      steps += 2 * graph.risk_lists[list].size();
      for (const std::uint32_t risk : graph.risk_lists[list]) {
        std::uint32_t& number = name_number[graph.name_of[risk]];
        if (question.counts[risk] && number == no_position) number = names++;
      }
    }
    update.names = list_number[list];
  }
  words_ = names / 64 + 1;
  // A set for each list, and one for each release, of a pass over all updates.
  const std::size_t bytes = (lists.size() + graph.releases.size()) * words_ * sizeof(std::uint64_t);
  has_names_ = spend(budget, steps) && bytes <= budget.bytes;
  if (!has_names_) return;
  names_.assign(lists.size() * words_, 0);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const std::uint32_t risk : graph.risk_lists[lists[i]]) {
      if (!question.counts[risk]) continue;
      const std::uint32_t name = name_number[graph.name_of[risk]];
      names_[i * words_ + name / 64] |= std::uint64_t{1} << name % 64;
    }
  }
  for (Update& update : updates_) update.names *= words_;
}

}  // namespace fairway::graph
