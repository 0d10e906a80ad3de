// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/reachable.h"

namespace fairway::graph {

std::vector<bool> reachable(const std::vector<std::vector<std::uint32_t>>& next, std::uint32_t start) {
  std::vector<bool> seen(next.size());
  std::vector<std::uint32_t> open{start};
  seen[start] = true;
  while (!open.empty()) {
    const auto node = open.back();
    open.pop_back();
    for (const auto other : next[node]) {
      if (seen[other]) continue;
      seen[other] = true;
      open.push_back(other);
    }
  }
  return seen;
}

}  // namespace fairway::graph
