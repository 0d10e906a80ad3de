// The available updates of a cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/update_graph.h"
#include "risk/rounds.h"

namespace fairway::risk {

/// Each list has the highest version first.
struct AvailableUpdates {
  /// The release that they are of, as the graph names it.
  std::string from;
  /// Recommended to every cluster.
  std::vector<graph::Node> unconditional;
  /// Recommended to clusters not exposed to their risks: `updates[i]` is to `targets[i]`.
  std::vector<graph::Node> targets;
  std::vector<ConditionalUpdate> updates;
};

/// The available updates of a cluster at `from`, which may have the architecture behind it as graph data has
/// it ("4.6.23+amd64"), where one is given. An Error (`not_found`): no such release in the graph.
Result<AvailableUpdates> available_updates(const graph::UpdateGraph& graph, std::string_view from,
                                           std::string_view arch = {});

}  // namespace fairway::risk
