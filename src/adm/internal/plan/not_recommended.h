// SPDX-License-Identifier: Apache-2.0

// The updates that the operator lists and does not recommend.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "adm/plan/plan.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns the updates that the cluster's operator does not recommend now, by their versions: those of
/// `status.conditionalUpdates`, and those that it offers without listing them. The value says so as a risk:
/// its name is the reason of the condition Recommended, and its message that of the condition. It applies if
/// the condition is False, and is unknown otherwise.
std::map<std::string, PlannedRisk, std::less<>> not_recommended(const openshift::ClusterVersion& cluster);

}  // namespace fairway::adm
