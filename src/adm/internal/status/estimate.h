// How long an update has still to go.
#pragma once

#include <chrono>
#include <vector>

#include "openshift/cluster_version.h"

namespace fairway::adm {

/// How long the last completed update took, the installation left out; one hour if there is none.
std::chrono::nanoseconds baseline_duration(const std::vector<openshift::UpdateHistory>& history);

/// The time that is left, negative where the update should have ended. `completion` is the share of operators
/// that are updated, `to_last_progress` the time from the beginning to the last progress that was seen.
std::chrono::nanoseconds estimate_remaining(std::chrono::nanoseconds baseline,
                                            std::chrono::nanoseconds to_last_progress,
                                            std::chrono::nanoseconds updating_for, double completion);

}  // namespace fairway::adm
