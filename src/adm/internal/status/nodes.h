// SPDX-License-Identifier: Apache-2.0

// Nodes during an update: what each is doing, by the annotations of the machine config operator.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "adm/internal/status/insight.h"
#include "adm/status/status.h"
#include "k8s/object.h"

namespace fairway::adm {

/// Assessments, in the order in which nodes are shown.
enum class NodeAssessment { degraded, unavailable, progressing, excluded, outdated, completed };
enum class NodePhase { draining, updating, rebooting, paused, pending, updated };
std::string_view to_string(NodeAssessment assessment);
std::string_view to_string(NodePhase phase);

struct NodeState {
  std::string name, version, estimate, message;
  NodeAssessment assessment = NodeAssessment::outdated;
  NodePhase phase = NodePhase::pending;
  bool unavailable = false, degraded = false, updating = false, updated = false;
};

/// Returns the nodes of a pool, in the order in which they are shown, and adds insights about them.
/// `migrating`: the cluster is being migrated to several architectures, and versions stay.
std::vector<NodeState> assess_nodes(const StatusInput& input, const k8s::Dynamic& pool,
                                    const std::vector<const k8s::Dynamic*>& nodes, bool migrating,
                                    std::vector<Insight>& insights);

}  // namespace fairway::adm
