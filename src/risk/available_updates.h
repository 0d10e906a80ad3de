// SPDX-License-Identifier: Apache-2.0

// The available updates of a cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/update_graph.h"
#include "risk/rounds.h"

namespace fairway::risk {

/// The updates of a release. Each list has the highest version first.
struct AvailableUpdates {
  /// Release to update from, as the graph names it.
  std::string from;
  /// Releases that are recommended to every cluster.
  std::vector<graph::Node> unconditional;
  /// Releases that are recommended to clusters not exposed to their risks: `updates[i]` is to `targets[i]`.
  std::vector<graph::Node> targets;
  std::vector<ConditionalUpdate> updates;
};

/// Returns the available updates of a cluster at `from`. If an architecture is given, `from` may end with it,
/// as in graph data ("4.6.23+amd64"). An Error (`not_found`): no such release in the graph.
Result<AvailableUpdates> available_updates(const graph::UpdateGraph& graph, std::string_view from,
                                           std::string_view arch = {});

}  // namespace fairway::risk
