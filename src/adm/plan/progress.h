// SPDX-License-Identifier: Apache-2.0

// Place of a cluster on the way to a release.
#pragma once

#include <string_view>

#include "base/result.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns whether `to` is later than the release that the cluster has, or is being updated to; false: it is
/// that release. Errors (`invalid`): `to` is not a semantic version, or is older.
Result<bool> is_later(const openshift::ClusterVersion& cluster, std::string_view to);

/// Place of a cluster on the way to a release.
enum class Progress {
  on_the_way,
  arrived,  ///< it has completed the update to it, or to another build of it
  passed,   ///< it has a later release, or is being updated to one, and did not complete this one on the way
};

/// Returns where the cluster is on the way to `to`. Versions that differ in their build metadata alone are
/// the same (SemVer 2.0.0, section 10). What the cluster completed before it was last at an older release is
/// of an earlier way. What is no version is on the way.
Progress progress_to(const openshift::ClusterVersion& cluster, std::string_view to);

}  // namespace fairway::adm
