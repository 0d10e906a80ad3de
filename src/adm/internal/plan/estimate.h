// SPDX-License-Identifier: Apache-2.0

// Estimates of how long an update takes, by the updates that the cluster has had.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "adm/plan/plan.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// The time that an update probably takes.
struct Estimate {
  /// The median of the updates that it is drawn from, the shortest and the longest.
  std::chrono::seconds usual{}, least{}, most{};
  /// Number of these updates, and whether they changed the minor version as this one does, or did not.
  std::size_t updates = 0;
  bool is_of_same_kind = true;
};

/// Returns the estimate for an update that changes the minor version, or does not. It is drawn from completed
/// updates of this kind in the history; where there are none, from those of the other kind. The installation
/// is no update. std::nullopt: the history has no update with its times.
std::optional<Estimate> estimate_update(const openshift::ClusterVersion& cluster, bool changes_minor);

/// Returns the sum of the estimates of a path's hops; std::nullopt: that of one is not known.
std::optional<std::chrono::seconds> estimate_path(const PlannedPath& path,
                                                  const openshift::ClusterVersion& cluster);

}  // namespace fairway::adm
