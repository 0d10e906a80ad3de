// SPDX-License-Identifier: Apache-2.0

// Build, second part: which edges there are, and what graph data does to them.
#pragma once

#include <string>
#include <vector>

#include "graph/internal/build_releases.h"
#include "graph/internal/risk_lists.h"

namespace fairway::graph {

/// Inputs that the edges of every architecture are built from.
struct EdgeInputs {
  const GraphData& data;
  const std::vector<UpstreamGraph>& upstreams;
  RiskLists& risks;
  /// Risk of each of the data's blocks, by index; meaningless for blocks that remove.
  std::vector<RiskLists::RiskId> block_risks = {};
  /// Flags of each of the data's blocks, set by `build_edges`: whether it meets an update of some
  /// architecture, and whether some architecture has its target.
  std::vector<bool>& meets;
  std::vector<bool>& has_target;
  /// URL of risks that the build itself adds.
  const std::string& problem_url;
  Watch& watch;
};

/// Fills `edges` and `removed` of `architecture` from the draft, the upstreams and the graph data. The result
/// must not be used if the watch has ended.
void build_edges(const DraftArchitecture& draft, const EdgeInputs& inputs, Architecture& architecture,
                 std::vector<Problem>& problems);

}  // namespace fairway::graph
