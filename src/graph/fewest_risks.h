// SPDX-License-Identifier: Apache-2.0

// Paths over several channels with the fewest risks that concern a cluster, then the fewest hops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/merged_graph.h"

namespace fairway::graph {

/// Work that several searches may do together.
struct SearchBudget {
  /// Steps that are left: an update that is looked at is one, and so are 64 names of risks that are compared.
  /// The default is some tenths of a second.
  std::size_t steps = 100'000'000;
  /// Most bytes of sets of names that a search keeps at once.
  std::size_t bytes = std::size_t{64} << 20;
};

struct FewestRisksQuestion {
  std::uint32_t from = 0, to = 0;    ///< positions of releases
  std::vector<bool> counts = {};     ///< for each risk of the graph whether it counts
  std::vector<bool> preferred = {};  ///< for each channel whether a hop in it is as good as any
  bool only_preferred = false;       ///< true if hops of other channels are not taken at all
  std::size_t count = 3;             ///< largest number of paths
  SearchBudget* budget = nullptr;    ///< shared with other searches, and spent; null: one of its own
};

struct FewestRisksAnswer {
  /// Paths as positions of updates. The first has the fewest distinct names of risks that count, then the
  /// fewest hops, then the fewest hops outside of preferred channels, then higher releases first. Each
  /// further one has more such risks and fewer hops than the one before: the best of that number of hops.
  std::vector<std::vector<std::uint32_t>> paths = {};
  /// False if the budget did not last: a path with fewer risks may exist. There is a path all the same if
  /// any leads there, the one with the fewest hops.
  bool is_complete = true;
};

/// Finds paths. Both ends are positions in `graph`. The work is that of the budget and a few passes over the
/// graph, whatever the graph is.
FewestRisksAnswer find_fewest_risks(const MergedGraph& graph, const FewestRisksQuestion& question);

/// Returns the position of the highest release that some path leads to; `from` itself if there is none.
std::uint32_t highest_reached(const MergedGraph& graph, std::uint32_t from);

}  // namespace fairway::graph
