// SPDX-License-Identifier: Apache-2.0

// Reads what a plan knows of a cluster beside its ClusterVersion.
#pragma once

#include <string>
#include <vector>

#include "adm/plan/cluster_facts.h"
#include "cli/adm/cluster.h"

namespace fairway::cli {

/// Reads ClusterOperators, MachineConfigPools, PodDisruptionBudgets, definitions of custom resources, and
/// from the API server's metrics the deprecated APIs that are requested. What cannot be read is missing, and
/// named in `warnings`. Of a recorded cluster, files beside that of the ClusterVersion are read as far as
/// they exist: -co.yaml, -mcp.yaml, -pdb.yaml, -crd.yaml and -metrics.txt.
adm::ClusterFacts read_plan_facts(const Cluster& cluster, std::vector<std::string>& warnings);

}  // namespace fairway::cli
