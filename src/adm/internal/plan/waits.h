// SPDX-License-Identifier: Apache-2.0

// Things that the hops of a plan wait for, as far as the cluster knows them now.
#pragma once

#include <string>
#include <vector>

#include "adm/blockers.h"
#include "adm/caller.h"
#include "adm/plan/cluster_facts.h"
#include "adm/plan/plan.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Something that a hop waits for.
struct HopWait {
  /// "running", "failing", "invalid", "upgradeable", "overrides", "clusterOperator", "machineConfigPool",
  /// "deprecatedApi", "storedVersions" or "disruptionBudget".
  std::string kind = {};
  /// The thing itself. `holds_up` is false for what may hold it up: that depends on what the release brings.
  Blocker what = {};
};

/// Returns what each hop of a path waits for. A thing is named at the first hop that it concerns: what keeps
/// the cluster from changing its minor version at the first hop that does, a deprecated API at the first hop
/// to a release that no longer serves it.
std::vector<std::vector<HopWait>> waits_of(const PlannedPath& path, const openshift::ClusterVersion& cluster,
                                           const ClusterFacts& facts, const Caller& caller);

}  // namespace fairway::adm
