// SPDX-License-Identifier: Apache-2.0

// Pools of nodes during an update.
#pragma once

#include <string>
#include <vector>

#include "adm/internal/status/insight.h"
#include "adm/internal/status/nodes.h"
#include "adm/status/status.h"
#include "base/result.h"

namespace fairway::adm {

/// A MachineConfigPool and its nodes.
struct PoolState {
  std::string name, assessment;
  std::vector<NodeState> nodes;
  int available = 0, progressing = 0, outdated = 0, draining = 0, excluded = 0, degraded = 0, updated = 0;

  bool is_control_plane() const { return name == "master"; }
  bool is_outdated() const { return !nodes.empty() && updated != static_cast<int>(nodes.size()); }
};

/// Returns the pools in the order in which they were read. A node is in one pool: that of the control plane,
/// else one of the admin's, else that of the workers. An Error: a pool's selector of nodes is invalid.
Result<std::vector<PoolState>> assess_pools(const StatusInput& input, bool migrating,
                                            std::vector<Insight>& insights);

/// Returns the table of worker pools.
std::string pool_table(const std::vector<PoolState>& pools);
/// Returns the table of a pool's nodes: all if `detailed`, else ten and those with a problem.
std::string node_table(const PoolState& pool, bool detailed);

}  // namespace fairway::adm
