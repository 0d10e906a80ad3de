// SPDX-License-Identifier: Apache-2.0

// `adm upgrade rollback`: back to the release before.
#pragma once

#include "adm/answer.h"
#include "adm/caller.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Requests an update to the previous release of the history. It must be an older patch version of the same
/// minor version, and no update may be in progress.
CommandResult roll_back(const openshift::ClusterVersion& cluster, const Caller& caller = {});

}  // namespace fairway::adm
