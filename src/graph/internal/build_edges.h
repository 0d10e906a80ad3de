// Build, second part: which edges there are, and what graph data does to them.
#pragma once

#include <string>
#include <vector>

#include "graph/internal/build_releases.h"
#include "graph/internal/risk_lists.h"

namespace fairway::graph {

/// What every architecture's edges are made of.
struct EdgeInputs {
  const GraphData& data;
  const std::vector<UpstreamGraph>& upstreams;
  RiskLists& risks;
  /// Of each of the data's blocks, the risk; of no meaning for blocks that remove.
  std::vector<RiskLists::RiskId> block_risks;
  /// Of each of the data's blocks, whether it meets an update of some architecture, and whether some
  /// architecture has its target: set by `build_edges`.
  std::vector<bool>& meets;
  std::vector<bool>& has_target;
  /// Of risks that the build itself adds.
  const std::string& problem_url;
  Watch& watch;
};

/// Fills `edges` and `removed` of `architecture` from the draft, the upstreams and the graph data. What it
/// has made is of no use where the watch has ended.
void build_edges(const DraftArchitecture& draft, const EdgeInputs& inputs, Architecture& architecture,
                 std::vector<Problem>& problems);

}  // namespace fairway::graph
