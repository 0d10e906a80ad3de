// SPDX-License-Identifier: Apache-2.0

// The reply of an update service, as the cluster that asks needs it.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/problem.h"
#include "graph/update_graph.h"

namespace fairway::graph {

struct CincinnatiReply {
  UpdateGraph graph = {};
  /// True if the answer has a list of nodes: without one it is no graph, although it reads as an empty one.
  bool has_nodes = false;
  /// Parts that were left out or not understood.
  std::vector<Problem> problems = {};
  /// Oddities that lost no data: an edge that is listed twice, or both with risks and without.
  std::vector<Problem> notes = {};
  /// Conditional edges that are listed more than once, sorted.
  std::vector<IndexPair> repeated = {};
};

/// Reads as `read_cincinnati_json` does, but a risk without `matchingRules` keeps none: an evaluator must
/// distinguish it from `Always`.
Result<CincinnatiReply> read_cincinnati_reply(std::string_view text, std::string_view source);

}  // namespace fairway::graph
