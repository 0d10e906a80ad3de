// `adm upgrade rollback`: back to the release before.
#pragma once

#include "adm/answer.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Asks for the previous release of the history. Only an older patch version of the same minor version, and
/// only while nothing is being applied.
CommandResult roll_back(const openshift::ClusterVersion& cluster);

}  // namespace fairway::adm
