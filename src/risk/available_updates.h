// The available updates of a cluster.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/update_graph.h"
#include "risk/rounds.h"

namespace fairway::risk {

/// Each list has the highest version first.
struct AvailableUpdates {
  /// Recommended to every cluster.
  std::vector<graph::Node> unconditional;
  /// Recommended to clusters not exposed to their risks: `updates[i]` is to `targets[i]`.
  std::vector<graph::Node> targets;
  std::vector<ConditionalUpdate> updates;
};

/// The available updates of a cluster at `from`. An Error (`not_found`): no such release in the graph.
Result<AvailableUpdates> available_updates(const graph::UpdateGraph& graph, std::string_view from);

}  // namespace fairway::risk
