// SPDX-License-Identifier: Apache-2.0

// `adm upgrade why`: why a release is offered to a cluster, or is not.
#pragma once

#include <string>
#include <string_view>

#include "adm/answer.h"
#include "base/result.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Checks the version in the arguments; empty: the update that is asked for, or runs (`explain_update`).
CommandResult check_why(std::string_view version);

/// Explains the state of `version`: what the operator found, and what the update service says about the
/// update from the cluster's release. `service` is the body of the service's answer at /explain
/// (docs/api.md), or the Error why there is none.
CommandResult why(std::string_view version, const openshift::ClusterVersion& cluster,
                  const Result<std::string>& service);

}  // namespace fairway::adm
