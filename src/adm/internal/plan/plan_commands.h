// SPDX-License-Identifier: Apache-2.0

// The commands for a hop of a plan, and what has to be said with them.
#pragma once

#include <string>
#include <vector>

#include "adm/caller.h"
#include "adm/plan/plan.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns the command lines for a hop: the change of the channel, and the request for the update. Risks that
/// apply are accepted by their names where the operator takes risks as accepted, and need a flag elsewhere.
/// No command gets past a risk that nobody has judged, nor past one whose name `accept` does not take: the
/// client refuses such an update, and says why. Empty, if the operator does not offer the update, or if a
/// shell could misread the channel or the version (`safe_names`).
std::vector<std::string> commands_of(const PlannedHop& hop, const openshift::ClusterVersion& cluster,
                                     const Caller& caller);

/// Returns what has to be said beside the commands, in sentences: why there are none, what the client refuses
/// them for, and at a later hop that the plan has to be made again first.
std::vector<std::string> notes_of(const PlannedHop& hop, bool is_first,
                                  const openshift::ClusterVersion& cluster, const Caller& caller);

}  // namespace fairway::adm
