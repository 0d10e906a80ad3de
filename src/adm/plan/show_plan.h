// SPDX-License-Identifier: Apache-2.0

// `adm upgrade plan`: a plan as text, and as data for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adm/answer.h"
#include "adm/caller.h"
#include "adm/plan/cluster_facts.h"
#include "adm/plan/plan.h"
#include "base/clock.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Sources of a plan, for those who read it.
struct PlanOrigin {
  /// The update service, or the graph data: "https://example.com/api/upgrades_info/graph".
  std::string graphs = {};
  std::string arch = {};
  /// Judge of the risks: "the operator", "Prometheus https://...".
  std::string judge = {};
  /// Time at which the plan was made.
  WallTime now{};
};

/// Returns the command lines for a hop: the change of the channel, and the request for the update. Risks that
/// apply need a flag, or are accepted by their names where the cluster accepts risks already. No command gets
/// past a risk that nobody has judged: the client refuses such an update, and says why. Empty, if a shell
/// could misread the channel or the version (`safe_names`).
std::vector<std::string> commands_of(const PlannedHop& hop, const openshift::ClusterVersion& cluster,
                                     const Caller& caller);

/// Shows a plan: each path with its hops, their risks, what they wait for, how long they take and what to
/// type. A plan without a path is a failure, with the reason. The data is that of docs/adm-upgrade-plan.md.
CommandResult show(const Plan& plan, const openshift::ClusterVersion& cluster, const ClusterFacts& facts,
                   const PlanOrigin& origin, const Caller& caller);

}  // namespace fairway::adm
