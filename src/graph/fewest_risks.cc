// SPDX-License-Identifier: Apache-2.0

#include "graph/fewest_risks.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace fairway::graph {
namespace {

/// Most updates that one search looks at, again and again: some hundred milliseconds. A set counts as so many
/// at least, since it is kept and compared.
constexpr std::size_t max_looks = 30'000'000, least_looks = 5'000;
constexpr std::uint32_t none = UINT32_MAX;

/// A set of names of risks, a bit each.
using RiskNames = std::vector<std::uint64_t>;

std::size_t size_of(const RiskNames& names) {
  std::size_t size = 0;
  for (const std::uint64_t word : names) size += static_cast<std::size_t>(std::popcount(word));
  return size;
}

/// A search over sets of names to accept, the smallest first. The releases that are reached with a set have a
/// frontier: updates that need more names, one of which each path takes next. So the sets to try after it are
/// those with the names of one of these updates added, and none of the smallest is missed. Updates lead to
/// later releases only, so that a pass over them in their order finds what is reached.
class Search {
 public:
  Search(const MergedGraph& graph, const FewestRisksQuestion& question)
      : graph_(graph), question_(question), words_(graph.names / 64 + 1) {
    set_names();
    set_updates();
  }

  FewestRisksAnswer run();

 private:
  /// An update that lies on a path from the start to the target.
  struct Usable {
    std::uint32_t from = 0, to = 0, number = 0;
    const std::uint64_t* names = nullptr;
    bool is_outside = false;
  };
  struct Found {
    std::vector<std::uint32_t> path = {};
    std::uint32_t outside = 0;
  };
  using Positions = std::vector<std::uint32_t>;

  bool is_outside(const MergedGraph::Update& update) const {
    return std::ranges::none_of(update.channels, [&](auto channel) { return question_.preferred[channel]; });
  }
  bool is_within(const std::uint64_t* names, const RiskNames& accepted) const {
    for (std::size_t i = 0; i < words_; ++i)
      if ((names[i] & ~accepted[i]) != 0) return false;
    return true;
  }
  void set_names();
  void set_updates();
  bool fits(const Usable& update, std::uint32_t hops_before, std::uint32_t most_hops) const {
    return hops_before + 1 + hops_from_[update.to] <= most_hops;
  }
  RiskNames certain(std::uint32_t most_hops) const;
  std::vector<RiskNames> look(const RiskNames& accepted, std::uint32_t most_hops, bool& reaches);
  Found best_path(const RiskNames& accepted) const;
  std::optional<Found> fewest(std::uint32_t most_hops, bool& is_complete);
  bool is_better(const Found& a, const Found& b) const;

  const MergedGraph& graph_;
  const FewestRisksQuestion& question_;
  const std::size_t words_;
  RiskNames list_names_;  ///< for each list of risks the names that count
  std::vector<Usable> updates_;
  /// For each release the fewest hops from the start, and to the target; `none` without a path.
  Positions hops_to_, hops_from_;
  Positions reached_;  ///< memory of `look`
  std::size_t looks_left_ = max_looks;
};

void Search::set_names() {
  list_names_.assign(graph_.risk_lists.size() * words_, 0);
  for (std::size_t list = 0; list < graph_.risk_lists.size(); ++list) {
    for (const std::uint32_t risk : graph_.risk_lists[list]) {
      if (!question_.counts[risk]) continue;
      const std::uint32_t name = graph_.name_of[risk];
      list_names_[list * words_ + name / 64] |= std::uint64_t{1} << name % 64;
    }
  }
}

/// Selects the updates on paths from the start to the target, and counts hops.
void Search::set_updates() {
  const auto first = std::ranges::lower_bound(graph_.updates, question_.from, {}, &MergedGraph::Update::from);
  hops_to_.assign(graph_.releases.size(), none);
  hops_from_.assign(graph_.releases.size(), none);
  hops_to_[question_.from] = hops_from_[question_.to] = 0;
  for (auto at = first; at != graph_.updates.end() && at->from < question_.to; ++at) {
    if (at->to > question_.to || hops_to_[at->from] == none) continue;
    const bool outside = is_outside(*at);
    if (outside && question_.only_preferred) continue;
    hops_to_[at->to] = std::min(hops_to_[at->to], hops_to_[at->from] + 1);
    updates_.push_back({at->from, at->to, static_cast<std::uint32_t>(at - graph_.updates.begin()),
                        &list_names_[at->risks * words_], outside});
  }
  for (auto at = updates_.rbegin(); at != updates_.rend(); ++at) {
    if (hops_from_[at->to] != none)
      hops_from_[at->from] = std::min(hops_from_[at->from], hops_from_[at->to] + 1);
  }
  std::erase_if(updates_, [&](const Usable& update) { return hops_from_[update.to] == none; });
}

/// Returns names that each path of at most so many hops has.
RiskNames Search::certain(std::uint32_t most_hops) const {
  std::vector<RiskNames> of(graph_.releases.size());
  of[question_.from].assign(words_, 0);
  for (const Usable& update : updates_) {
    if (of[update.from].empty() || !fits(update, hops_to_[update.from], most_hops)) continue;
    const bool is_first = of[update.to].empty();
    if (is_first) of[update.to].resize(words_);
    for (std::size_t i = 0; i < words_; ++i) {
      const std::uint64_t both = of[update.from][i] | update.names[i];
      of[update.to][i] = is_first ? both : of[update.to][i] & both;
    }
  }
  return of[question_.to];
}

/// Returns the sets to try after this one; sets `reaches` if it is enough to reach the target.
std::vector<RiskNames> Search::look(const RiskNames& accepted, std::uint32_t most_hops, bool& reaches) {
  looks_left_ -= std::min(looks_left_, std::max(updates_.size(), least_looks));
  reached_.assign(graph_.releases.size(), none);
  reached_[question_.from] = 0;
  std::vector<const Usable*> frontier;
  for (const Usable& update : updates_) {
    const std::uint32_t hops = reached_[update.from];
    if (hops == none || hops + 1 >= reached_[update.to] || !fits(update, hops, most_hops)) continue;
    if (is_within(update.names, accepted)) {
      reached_[update.to] = hops + 1;
    } else {
      frontier.push_back(&update);
    }
  }
  reaches = reached_[question_.to] != none;
  if (reaches) return {};
  std::set<RiskNames> next;
  for (const Usable* update : frontier) {
    if (reached_[update->from] + 1 >= reached_[update->to]) continue;
    RiskNames names = accepted;
    for (std::size_t i = 0; i < words_; ++i) names[i] |= update->names[i];
    next.insert(std::move(names));
  }
  // One that has all names of another, and more, comes after it anyway.
  std::vector<RiskNames> least;
  for (const RiskNames& names : next) {
    if (std::ranges::none_of(
            next, [&](const RiskNames& other) { return other != names && is_within(other.data(), names); }))
      least.push_back(names);
  }
  return least;
}

/// Returns the best path without other names: fewest hops, then fewest outside, then higher releases first.
Search::Found Search::best_path(const RiskNames& accepted) const {
  struct Rest {
    std::uint32_t hops = none, outside = 0;
    const Usable* next = nullptr;
  };
  std::vector<Rest> rests(graph_.releases.size());
  rests[question_.to].hops = 0;
  for (auto at = updates_.rbegin(); at != updates_.rend(); ++at) {
    const Rest& after = rests[at->to];
    if (after.hops == none || !is_within(at->names, accepted)) continue;
    Rest& rest = rests[at->from];
    const std::uint32_t hops = after.hops + 1, outside = after.outside + (at->is_outside ? 1 : 0);
    // The highest release comes first, and stays among equals.
    if (std::pair(hops, outside) < std::pair(rest.hops, rest.outside)) rest = {hops, outside, &*at};
  }
  Found found{.outside = rests[question_.from].outside};
  for (const Usable* at = rests[question_.from].next; at != nullptr; at = rests[at->to].next)
    found.path.push_back(at->number);
  return found;
}

bool Search::is_better(const Found& a, const Found& b) const {
  if (a.path.size() != b.path.size()) return a.path.size() < b.path.size();
  if (a.outside != b.outside) return a.outside < b.outside;
  for (std::size_t i = 0; i < a.path.size(); ++i) {
    const std::uint32_t to_a = graph_.updates[a.path[i]].to, to_b = graph_.updates[b.path[i]].to;
    if (to_a != to_b) return to_a > to_b;
  }
  return false;
}

/// Returns the best path of at most so many hops. Where the search ends early, it is the shortest one.
std::optional<Search::Found> Search::fewest(std::uint32_t most_hops, bool& is_complete) {
  if (hops_to_[question_.to] > most_hops) return std::nullopt;
  using Entry = std::pair<std::size_t, RiskNames>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::set<RiskNames> seen;
  RiskNames start = certain(most_hops);
  open.emplace(size_of(start), start);
  seen.insert(std::move(start));
  std::optional<Found> best;
  std::size_t best_size = 0;
  while (!open.empty() && (!best || open.top().first == best_size)) {
    const auto [size, accepted] = open.top();
    open.pop();
    if (looks_left_ == 0) {
      is_complete = false;
      break;
    }
    bool reaches = false;
    for (RiskNames& names : look(accepted, most_hops, reaches)) {
      // What needs more names than a path that is known is of no use.
      if (!best && seen.insert(names).second) open.emplace(size_of(names), std::move(names));
    }
    if (!reaches) continue;
    Found found = best_path(accepted);
    if (!best || is_better(found, *best)) best = std::move(found);
    best_size = size;
  }
  if (!best) best = best_path(RiskNames(words_, ~std::uint64_t{0}));
  return best;
}

FewestRisksAnswer Search::run() {
  FewestRisksAnswer answer;
  std::uint32_t most_hops = none - 1;
  while (answer.paths.size() < question_.count) {
    auto found = fewest(most_hops, answer.is_complete);
    if (!found) break;
    const auto hops = static_cast<std::uint32_t>(found->path.size());
    answer.paths.push_back(std::move(found->path));
    if (hops == hops_to_[question_.to]) break;  // none has fewer hops
    most_hops = hops - 1;
  }
  return answer;
}

}  // namespace

FewestRisksAnswer find_fewest_risks(const MergedGraph& graph, const FewestRisksQuestion& question) {
  if (question.from >= question.to || question.count == 0) return {};
  return Search(graph, question).run();
}

std::uint32_t highest_reached(const MergedGraph& graph, std::uint32_t from) {
  std::vector<bool> reached(graph.releases.size());
  reached[from] = true;
  std::uint32_t highest = from;
  for (const auto& update : graph.updates) {
    if (!reached[update.from]) continue;
    reached[update.to] = true;
    highest = std::max(highest, update.to);
  }
  return highest;
}

}  // namespace fairway::graph
