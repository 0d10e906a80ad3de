// The updates that a graph offers to a cluster.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/update_graph.h"
#include "risk/rounds.h"

namespace fairway::risk {

/// Each list has the highest version first.
struct Offers {
  /// Recommended to every cluster.
  std::vector<graph::Node> unconditional;
  /// Recommended to clusters that no risk concerns: `updates[i]` is to `targets[i]`.
  std::vector<graph::Node> targets;
  std::vector<ConditionalUpdate> updates;
};

/// What a cluster at `from` may move to. An Error (`not_found`): the graph has no such release.
Result<Offers> offers_to(const graph::UpdateGraph& graph, std::string_view from);

}  // namespace fairway::risk
