// SPDX-License-Identifier: Apache-2.0

// Circles of updates.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/snapshot.h"

namespace fairway::graph {

/// Returns the edges from a higher release to a lower one that lie on a cycle; without them there is no
/// cycle. Releases are numbered in ascending order, so such an edge goes to a lower number. Takes time linear
/// in the edges.
std::vector<IndexPair> find_descending_edges_in_cycles(const std::vector<SnapshotEdge>& edges,
                                                       std::size_t releases);

}  // namespace fairway::graph
