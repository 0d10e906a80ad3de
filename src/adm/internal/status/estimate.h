// SPDX-License-Identifier: Apache-2.0

// An estimate of the time that an update still needs.
#pragma once

#include <chrono>
#include <vector>

#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns how long the last completed update took, not counting the installation; one hour if there is none.
std::chrono::nanoseconds baseline_duration(const std::vector<openshift::UpdateHistory>& history);

/// Returns the remaining time, negative if the update should have ended. `completion` is the share of
/// operators that are updated, `to_last_progress` the time from the beginning to the last known progress.
std::chrono::nanoseconds estimate_remaining(std::chrono::nanoseconds baseline,
                                            std::chrono::nanoseconds to_last_progress,
                                            std::chrono::nanoseconds updating_for, double completion);

}  // namespace fairway::adm
