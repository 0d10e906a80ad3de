// SPDX-License-Identifier: Apache-2.0

// `adm upgrade plan`: a plan as text, and as data for programs.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

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
  /// False if the ClusterVersion names no architecture: `arch` is then a guess.
  bool is_arch_known = true;
  /// Judge of the risks: "the operator", "Prometheus https://...".
  std::string judge = {};
  /// The service that the operator asks, if it is another one than `graphs`; "" is its default.
  std::optional<std::string> operator_service = {};
  /// Time at which the plan was made.
  WallTime now{};
};

/// Shows a plan: each path with its hops, their risks, what they wait for, how long they take and what to
/// type, within the bounds of plan.h. A plan without a path is a failure, with the reason. The data is that
/// of docs/adm-upgrade-plan.md. It ends early at a stop, and is then a failure.
CommandResult show(const Plan& plan, const openshift::ClusterVersion& cluster, const ClusterFacts& facts,
                   const PlanOrigin& origin, const Caller& caller, const std::stop_token& stop = {});

}  // namespace fairway::adm
