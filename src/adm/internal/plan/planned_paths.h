// SPDX-License-Identifier: Apache-2.0

// Turns paths of positions into those of a plan.
#pragma once

#include <stop_token>

#include "adm/internal/plan/judged_graph.h"
#include "adm/plan/plan.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns whether a path needs channels of another stream than the cluster's.
bool leaves_stream(const JudgedGraph& known, const PathPositions& path);

/// Returns a path with its hops, their channels and their risks, within the bounds of plan.h. It ends early
/// at a stop.
PlannedPath planned_path(const JudgedGraph& known, const openshift::ClusterVersion& cluster,
                         const PathPositions& path, const std::stop_token& stop);

}  // namespace fairway::adm
