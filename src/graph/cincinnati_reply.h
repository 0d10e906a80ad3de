// The reply of an update service, as the cluster that asks needs it.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/problem.h"
#include "graph/update_graph.h"

namespace fairway::graph {

struct CincinnatiReply {
  UpdateGraph graph;
  /// What is left out, or was not understood.
  std::vector<Problem> problems;
  /// What is odd, but lost nothing: an edge that is listed twice, or with risks and without.
  std::vector<Problem> notes;
  /// Conditional edges that stand there more than once, sorted.
  std::vector<IndexPair> repeated;
};

/// Like `read_cincinnati_json`, but a risk without `matchingRules` keeps none: an evaluator must distinguish
/// it from `Always`.
Result<CincinnatiReply> read_cincinnati_reply(std::string_view text, std::string_view source);

}  // namespace fairway::graph
