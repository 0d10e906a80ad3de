// SPDX-License-Identifier: Apache-2.0

// Reads what a plan knows of a cluster beside its ClusterVersion.
#pragma once

#include <string>
#include <vector>

#include "adm/plan/cluster_facts.h"
#include "base/limits.h"
#include "cli/adm/cluster.h"

namespace fairway::cli {

/// The facts of a cluster, for one plan after another.
class PlanFacts {
 public:
  /// Reads ClusterOperators, MachineConfigPools, PodDisruptionBudgets, definitions of custom resources, and
  /// from the API server's metrics the deprecated APIs that are requested. What cannot be read is as it was
  /// the last time, or missing, and named in `warnings`. Of a recorded cluster, files beside that of the
  /// ClusterVersion are read as far as they exist: -co.yaml, -mcp.yaml, -pdb.yaml, -crd.yaml and
  /// -metrics.txt. `limits` are those of all requests together; one alone has a quarter of a minute.
  const adm::ClusterFacts& read(const Cluster& cluster, std::vector<std::string>& warnings,
                                const Limits& limits);

 private:
  adm::ClusterFacts known_;
  bool has_read_ = false;
};

}  // namespace fairway::cli
