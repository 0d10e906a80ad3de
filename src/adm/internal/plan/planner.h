// SPDX-License-Identifier: Apache-2.0

// Finds the paths of a plan.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "adm/internal/plan/judged_graph.h"
#include "adm/internal/plan/offered_updates.h"
#include "adm/plan/plan.h"

namespace fairway::adm {

/// Finds the paths of a plan: searches, judges the risks of what was found, and searches again until the best
/// paths have no risk that was not judged. A risk that was not judged counts as none, so that the last search
/// misses no better path. All searches share a budget; when it is spent, what was found last is the answer.
class Planner {
 public:
  Planner(std::shared_ptr<graph::MergedGraph> graph, const openshift::ClusterVersion& cluster,
          const JudgeRisks& judge, graph::SearchBudget& budget, const std::stop_token& stop);

  /// Adds the paths between two releases, by their positions, to the plan. It ends early at a stop.
  void find(std::uint32_t from, std::uint32_t to, Plan& plan);

 private:
  std::vector<PathPositions> search(std::uint32_t from, std::uint32_t to, bool only_preferred, Plan& plan);
  bool judge_risks_of(const std::vector<PathPositions>& paths);
  void judge(std::uint32_t risk, JudgedRisk verdict);
  bool obey_operator(const std::vector<PathPositions>& paths);
  bool explains(std::uint32_t update, const Objection& objection) const;
  bool is_in_channel(std::uint32_t update) const;
  void add_risk(std::uint32_t update, const Objection& objection);

  JudgedGraph known_;
  graph::MergedGraph& graph_;
  const openshift::ClusterVersion& cluster_;
  const JudgeRisks& judge_;
  graph::SearchBudget& budget_;
  const std::stop_token& stop_;
  const bool accepts_risks_;
  const OperatorVerdicts verdicts_;
  const OfferedUpdates offered_;
};

}  // namespace fairway::adm
