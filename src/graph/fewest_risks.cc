// SPDX-License-Identifier: Apache-2.0

#include "graph/fewest_risks.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <queue>
#include <ranges>
#include <set>
#include <utility>

#include "graph/internal/usable_updates.h"

namespace fairway::graph {
namespace {

/// Steps that a set costs at least, since it is kept and compared.
constexpr std::size_t least_steps = 5'000;
/// Bytes that a container needs for a set beside its words.
constexpr std::size_t container_bytes = 128;

std::size_t size_of(const RiskNames& names) {
  std::size_t size = 0;
  for (const std::uint64_t word : names) size += static_cast<std::size_t>(std::popcount(word));
  return size;
}

/// Returns whether all names of one set are in another.
bool is_part_of(const RiskNames& names, const RiskNames& whole) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if ((names[i] & ~whole[i]) != 0) return false;
  return true;
}

/// A search over sets of names to accept, the smallest first. The releases that are reached with a set have a
/// frontier: updates that need more names, one of which each path takes next. So the sets to try after it are
/// those with the names of one of these updates added, and none of the smallest is missed. Updates lead to
/// later releases only, so that a pass over them in their order finds what is reached.
class Search {
 public:
  Search(const MergedGraph& graph, const FewestRisksQuestion& question, SearchBudget& budget)
      : graph_(graph), question_(question), budget_(budget), updates_(graph, question, budget) {}

  FewestRisksAnswer run();

 private:
  using Update = UsableUpdates::Update;
  struct Found {
    std::vector<std::uint32_t> path = {};
    std::uint32_t outside = 0;
  };

  /// Returns the steps of a pass over all updates with their names.
  std::size_t pass() const {
    return updates_.all().size() * (1 + updates_.words()) + graph_.releases.size() / 16;
  }
  bool fits(const Update& update, std::uint32_t hops_before, std::uint32_t most_hops) const {
    return hops_before + 1 + updates_.hops_from(update.to) <= most_hops;
  }
  RiskNames certain(std::uint32_t most_hops) const;
  std::vector<RiskNames> look(const RiskNames& accepted, std::uint32_t most_hops, bool& reaches);
  std::vector<RiskNames> least_of(const std::set<RiskNames>& sets);
  Found best_path(const RiskNames* accepted) const;
  std::optional<Found> search_sets(std::uint32_t most_hops);
  std::optional<Found> fewest(std::uint32_t most_hops);
  bool is_better(const Found& a, const Found& b) const;

  const MergedGraph& graph_;
  const FewestRisksQuestion& question_;
  SearchBudget& budget_;
  const UsableUpdates updates_;
  std::vector<std::uint32_t> reached_;  ///< memory of `look`
  bool is_complete_ = true;
};

/// Returns names that each path of at most so many hops has.
RiskNames Search::certain(std::uint32_t most_hops) const {
  const std::size_t words = updates_.words();
  std::vector<RiskNames> of(graph_.releases.size());
  of[question_.from].assign(words, 0);
  for (const Update& update : updates_.all()) {
    if (of[update.from].empty() || !fits(update, updates_.hops_to(update.from), most_hops)) continue;
    const bool is_first = of[update.to].empty();
    if (is_first) of[update.to].resize(words);
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t both = of[update.from][i] | updates_.names_of(update)[i];
      of[update.to][i] = is_first ? both : of[update.to][i] & both;
    }
  }
  return of[question_.to];
}

/// Returns the sets to try after this one; sets `reaches` if it is enough to reach the target.
std::vector<RiskNames> Search::look(const RiskNames& accepted, std::uint32_t most_hops, bool& reaches) {
  reached_.assign(graph_.releases.size(), no_position);
  reached_[question_.from] = 0;
  std::vector<const Update*> frontier;
  for (const Update& update : updates_.all()) {
    const std::uint32_t hops = reached_[update.from];
    if (hops == no_position || hops + 1 >= reached_[update.to] || !fits(update, hops, most_hops)) continue;
    if (updates_.is_within(update, accepted)) {
      reached_[update.to] = hops + 1;
    } else {
      frontier.push_back(&update);
    }
  }
  reaches = reached_[question_.to] != no_position;
  if (reaches) return {};
  std::set<RiskNames> next;
  for (const Update* update : frontier) {
    if (reached_[update->from] + 1 >= reached_[update->to]) continue;
    RiskNames names = accepted;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] |= updates_.names_of(*update)[i];
    next.insert(std::move(names));
  }
  return least_of(next);
}

/// Returns the sets that have not all names of another one: those come after it anyway. Where the budget does
/// not last to compare them all, there are none.
std::vector<RiskNames> Search::least_of(const std::set<RiskNames>& sets) {
  std::vector<RiskNames> least;
  for (const RiskNames& names : sets) {
    if (!spend(budget_, sets.size() * updates_.words())) return {};
    if (std::ranges::none_of(
            sets, [&](const RiskNames& other) { return other != names && is_part_of(other, names); }))
      least.push_back(names);
  }
  return least;
}

/// Returns the best path without other names (null: whatever the names are): fewest hops, then fewest
/// outside, then higher releases first.
Search::Found Search::best_path(const RiskNames* accepted) const {
  struct Rest {
    std::uint32_t hops = no_position, outside = 0;
    const Update* next = nullptr;
  };
  std::vector<Rest> rests(graph_.releases.size());
  rests[question_.to].hops = 0;
  for (const Update& update : std::views::reverse(updates_.all())) {
    const Rest& after = rests[update.to];
    if (after.hops == no_position || (accepted != nullptr && !updates_.is_within(update, *accepted)))
      continue;
    Rest& rest = rests[update.from];
    const std::uint32_t hops = after.hops + 1, outside = after.outside + (update.is_outside ? 1 : 0);
    // The highest release comes first, and stays among equals.
    if (std::pair(hops, outside) < std::pair(rest.hops, rest.outside)) rest = {hops, outside, &update};
  }
  Found found{.outside = rests[question_.from].outside};
  for (const Update* at = rests[question_.from].next; at != nullptr; at = rests[at->to].next)
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

/// Returns the best path of at most so many hops. Where the search ends early, it is the best so far, or
/// none.
std::optional<Search::Found> Search::search_sets(std::uint32_t most_hops) {
  using Entry = std::pair<std::size_t, RiskNames>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::set<RiskNames> seen;
  // Each set is kept twice.
  const std::size_t set_bytes = 2 * updates_.words() * sizeof(std::uint64_t) + container_bytes;
  std::optional<Found> best;
  std::size_t best_size = 0;
  is_complete_ = spend(budget_, pass()) && is_complete_;
  if (budget_.steps == 0) return best;
  RiskNames start = certain(most_hops);
  open.emplace(size_of(start), start);
  seen.insert(std::move(start));
  while (!open.empty() && (!best || open.top().first == best_size)) {
    const auto [size, accepted] = open.top();
    open.pop();
    bool reaches = false;
    // A pass to look, and one to find the path.
    const bool has_steps = spend(budget_, 2 * pass() + least_steps);
    if (has_steps) {
      for (RiskNames& names : look(accepted, most_hops, reaches)) {
        // What needs more names than a path that is known is of no use.
        if (!best && seen.insert(names).second) open.emplace(size_of(names), std::move(names));
      }
    }
    if (budget_.steps == 0 || seen.size() * set_bytes > budget_.bytes) {
      is_complete_ = false;
      return best;
    }
    if (!reaches) continue;
    Found found = best_path(&accepted);
    if (!best || is_better(found, *best)) best = std::move(found);
    best_size = size;
  }
  return best;
}

/// Returns the best path of at most so many hops. Where the search ends early, it may be the shortest one.
std::optional<Search::Found> Search::fewest(std::uint32_t most_hops) {
  if (updates_.hops_to(question_.to) > most_hops) return std::nullopt;
  if (updates_.has_names()) {
    if (auto best = search_sets(most_hops)) return best;
  }
  is_complete_ = false;
  return best_path(nullptr);
}

FewestRisksAnswer Search::run() {
  FewestRisksAnswer answer;
  std::uint32_t most_hops = no_position - 1;
  while (answer.paths.size() < question_.count) {
    auto found = fewest(most_hops);
    if (!found) break;
    const auto hops = static_cast<std::uint32_t>(found->path.size());
    answer.paths.push_back(std::move(found->path));
    if (hops == updates_.hops_to(question_.to)) break;  // none has fewer hops
    most_hops = hops - 1;
  }
  answer.is_complete = is_complete_;
  return answer;
}

}  // namespace

FewestRisksAnswer find_fewest_risks(const MergedGraph& graph, const FewestRisksQuestion& question) {
  if (question.from >= question.to || question.count == 0) return {};
  SearchBudget own;
  return Search(graph, question, question.budget == nullptr ? own : *question.budget).run();
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
