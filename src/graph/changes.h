// SPDX-License-Identifier: Apache-2.0

// The changes between two builds of one channel's graph.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "graph/update_graph.h"

namespace fairway::graph {

struct EdgeChange {
  std::string from = {}, to = {};
  std::vector<std::string> risks = {};  ///< names of the current risks (for a removed edge: of its last
                                        ///< ones)
  std::vector<std::string> risks_before = {};  ///< names of the risks before, for edges that existed before
  /// Names of risks that remain with another url, message or other rules.
  std::vector<std::string> risks_changed = {};
};

struct Changes {
  std::vector<std::string> nodes_added = {}, nodes_removed = {};
  /// Versions whose payload or metadata differ.
  std::vector<std::string> nodes_changed = {};
  std::vector<EdgeChange> edges_added = {};    ///< did not exist before, recommended or conditional
  std::vector<EdgeChange> edges_removed = {};  ///< no longer exist, recommended or conditional
  std::vector<EdgeChange> put_at_risk = {};    ///< gained a risk (compared by body)
  std::vector<EdgeChange> risk_lifted = {};    ///< lost a risk and gained none

  bool empty() const;
  /// {"nodes":{"added","removed","changed"},"edges":{"added","removed","putAtRisk","riskLifted"}}
  json::Object to_json() const;
};

Changes find_changes(const UpdateGraph& before, const UpdateGraph& now);

}  // namespace fairway::graph
