// SPDX-License-Identifier: Apache-2.0

// The nodes of a graph that can be reached from one of them.
#pragma once

#include <cstdint>
#include <vector>

namespace fairway::graph {

/// Returns, for each node, whether it is `start` or has a path from it; `next` has the nodes that an edge
/// leads to from each.
std::vector<bool> reachable(const std::vector<std::vector<std::uint32_t>>& next, std::uint32_t start);

}  // namespace fairway::graph
