// An update graph for those who evaluate its risks, instead of publishing them again.
#pragma once

#include <string_view>

#include "base/result.h"
#include "graph/update_graph.h"

namespace fairway::graph {

/// What a risk becomes that has no `matchingRules`, or an empty list of them.
enum class RisksWithoutRules {
  match_always,  ///< it gets the rule `Always`, for those who publish it again
  keep,          ///< it keeps its empty list, for those who evaluate it
};

/// read_cincinnati_json, which makes such risks match always, with a choice.
Result<ReadGraph> read_cincinnati_json(std::string_view text, std::string_view source,
                                       RisksWithoutRules without_rules);

}  // namespace fairway::graph
