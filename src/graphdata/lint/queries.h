// SPDX-License-Identifier: Apache-2.0

// The queries of graph data, for those who try them on metrics before the data is merged.
#pragma once

#include <string>
#include <vector>

#include "graphdata/lint/lint.h"

namespace fairway::graphdata {

/// A query of rules of type PromQL.
struct RiskQuery {
  std::string query = {};   ///< without blanks around it
  std::string risk = {};    ///< the name in the first file that has it; "" where that has none
  graph::Place place = {};  ///< place of its first character, in that file
};

/// Returns the queries of the blocked edges, each once, in the order of their places; with a base, only those
/// that no file of it has. Files that are not YAML have none.
std::vector<RiskQuery> changed_queries(const LintInputs& inputs);

}  // namespace fairway::graphdata
