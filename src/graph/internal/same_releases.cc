// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/same_releases.h"

#include <algorithm>

namespace fairway::graph {

std::vector<std::optional<std::uint32_t>> positions_in(const Architecture* fresh, const Architecture& old) {
  std::vector<std::optional<std::uint32_t>> positions(old.releases.size());
  if (fresh == nullptr) return positions;
  // Both are sorted.
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    while (at < fresh->releases.size() && fresh->releases[at].version < old.releases[i].version) ++at;
    if (at < fresh->releases.size() && fresh->releases[at].text == old.releases[i].text) positions[i] = at;
  }
  return positions;
}

bool is_removed(const Architecture& architecture, std::uint32_t from, std::uint32_t to) {
  const auto range =
      std::ranges::equal_range(architecture.removed, IndexPair(from, to), {},
                               [](const RemovedEdge& edge) { return IndexPair(edge.from, edge.to); });
  return std::ranges::any_of(range,
                             [](const RemovedEdge& edge) { return edge.why != RemovedEdge::Why::left_out; });
}

}  // namespace fairway::graph
