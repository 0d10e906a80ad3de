// SPDX-License-Identifier: Apache-2.0

// The updates of a merged graph that a search of paths has to look at, with the names of their risks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/fewest_risks.h"
#include "graph/merged_graph.h"

namespace fairway::graph {

inline constexpr std::uint32_t no_position = UINT32_MAX;

/// A set of names of risks, a bit each.
using RiskNames = std::vector<std::uint64_t>;

/// Takes so many steps from a budget. Returns whether it had them; it is empty if not.
inline bool spend(SearchBudget& budget, std::size_t steps) {
  const bool has_them = steps <= budget.steps;
  budget.steps = has_them ? budget.steps - steps : 0;
  return has_them;
}

/// The updates that lie on paths between the ends of a question.
class UsableUpdates {
 public:
  struct Update {
    std::uint32_t from = 0, to = 0;
    std::uint32_t number = 0;  ///< its position in the graph
    std::size_t names = 0;     ///< position of its first word in the lists of names
    bool is_outside = false;   ///< true if no preferred channel has it
  };

  /// Selects them; the work is taken from the budget.
  UsableUpdates(const MergedGraph& graph, const FewestRisksQuestion& question, SearchBudget& budget);

  /// Returns the updates, sorted by `from`, then `to`.
  const std::vector<Update>& all() const { return updates_; }
  /// False if there are too many names to keep, or the budget did not last: there are none then.
  bool has_names() const { return has_names_; }
  /// Returns the number of words of a set of names. Only names that count have a bit.
  std::size_t words() const { return words_; }
  /// Returns the words of an update's names.
  const std::uint64_t* names_of(const Update& update) const { return &names_[update.names]; }
  /// Returns whether an update has no other names than those of a set.
  bool is_within(const Update& update, const RiskNames& set) const;
  /// Returns the fewest hops from the start to a release, and from it to the target; `no_position` if no path
  /// leads there.
  std::uint32_t hops_to(std::uint32_t release) const { return hops_to_[release]; }
  std::uint32_t hops_from(std::uint32_t release) const { return hops_from_[release]; }

 private:
  void select(const MergedGraph& graph, const FewestRisksQuestion& question, SearchBudget& budget);
  void set_names(const MergedGraph& graph, const FewestRisksQuestion& question, SearchBudget& budget);

  std::vector<Update> updates_;
  std::vector<std::uint32_t> hops_to_, hops_from_;
  std::vector<std::uint64_t> names_;
  std::size_t words_ = 1;
  bool has_names_ = false;
};

}  // namespace fairway::graph
