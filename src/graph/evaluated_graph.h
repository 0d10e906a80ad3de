// SPDX-License-Identifier: Apache-2.0

// An update graph for those who evaluate its risks, instead of publishing them again.
#pragma once

#include <string_view>

#include "base/result.h"
#include "graph/update_graph.h"

namespace fairway::graph {

/// Treatment of a risk that has no `matchingRules`, or an empty list of them.
enum class RisksWithoutRules {
  match_always,  ///< the risk gets the rule `Always`, for callers that publish it again
  keep,          ///< the risk keeps its empty list, for callers that evaluate it
};

/// Reads as the other read_cincinnati_json, which makes such risks always match, but lets the caller choose.
Result<ReadGraph> read_cincinnati_json(std::string_view text, std::string_view source,
                                       RisksWithoutRules without_rules);

}  // namespace fairway::graph
