// SPDX-License-Identifier: Apache-2.0

// The graph of a plan, and what is known of its risks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "adm/plan/judged_risk.h"
#include "graph/merged_graph.h"

namespace fairway::adm {

/// A path as positions of updates.
using PathPositions = std::vector<std::uint32_t>;

/// The graph of a plan, and what is known of its risks so far.
struct JudgedGraph {
  /// Shared with the risks of the plan that is made of it.
  std::shared_ptr<graph::MergedGraph> graph = {};
  /// For each risk its verdict; std::nullopt: it has not been judged.
  std::vector<std::optional<JudgedRisk>> judged = {};
  /// For each risk whether it is what the operator says against an update, and no risk of a channel.
  std::vector<bool> is_of_operator = {};
  /// Updates, by position, that the operator does not offer, and those with a word of it among their risks.
  std::set<std::uint32_t> not_offered = {}, objected_to = {};
  /// For each channel whether it is of the stream of the cluster's channel.
  std::vector<bool> preferred = {};

  /// Returns whether a risk speaks against an update; one that was not judged does.
  bool counts(std::uint32_t risk) const { return !judged[risk] || judged[risk]->counts(); }
};

}  // namespace fairway::adm
