// SPDX-License-Identifier: Apache-2.0

// Paths over several channels with the fewest risks that concern a cluster, then the fewest hops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/merged_graph.h"

namespace fairway::graph {

struct FewestRisksQuestion {
  std::uint32_t from = 0, to = 0;    ///< positions of releases
  std::vector<bool> counts = {};     ///< for each risk of the graph whether it counts
  std::vector<bool> preferred = {};  ///< for each channel whether a hop in it is as good as any
  bool only_preferred = false;       ///< true if hops of other channels are not taken at all
  std::size_t count = 3;             ///< largest number of paths
};

struct FewestRisksAnswer {
  /// Paths as positions of updates. The first has the fewest distinct names of risks that count, then the
  /// fewest hops, then the fewest hops outside of preferred channels, then higher releases first. Each
  /// further one has more such risks and fewer hops than the one before: the best of that number of hops.
  std::vector<std::vector<std::uint32_t>> paths = {};
  /// False if the search ended early: a path with fewer risks may exist.
  bool is_complete = true;
};

/// Finds paths. Both ends are positions in `graph`. Bounded work: some tens of milliseconds at most.
FewestRisksAnswer find_fewest_risks(const MergedGraph& graph, const FewestRisksQuestion& question);

/// Returns the position of the highest release that some path leads to; `from` itself if there is none.
std::uint32_t highest_reached(const MergedGraph& graph, std::uint32_t from);

}  // namespace fairway::graph
