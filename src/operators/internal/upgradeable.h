// SPDX-License-Identifier: Apache-2.0

// ClusterVersion's condition Upgradeable: whether the cluster may be updated to another minor version. No
// I/O.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "openshift/cluster_operator.h"
#include "openshift/cluster_version.h"
#include "operators/retrieval.h"

namespace fairway::operators {

inline constexpr const char* upgradeable = "Upgradeable";

using ClusterOperators = std::vector<std::shared_ptr<const openshift::ClusterOperator>>;

/// Returns the reason why a cluster may not be updated to another minor version: components whose
/// ClusterOperator says Upgradeable=False, in the order of their names, and `spec.overrides` that declare
/// objects unmanaged. std::nullopt: there is none.
std::optional<Finding> not_upgradeable(const openshift::ClusterVersion& cluster, ClusterOperators operators);

/// Writes the condition, or removes the one that this operator has written. A condition with another message
/// belongs to somebody else, and stays if there is nothing to write: it keeps updates from beginning.
void write_upgradeable(openshift::ClusterVersion& cluster, const std::optional<Finding>& finding,
                       WallTime now);

}  // namespace fairway::operators
