// `adm upgrade why`: why a release is offered to a cluster, or is not.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "client/answer.h"
#include "openshift/cluster_version.h"

namespace fairway::client {

/// Checks the version that was asked for.
Answer check_why(std::string_view version);

/// Says where `version` stands: what the operator found, and what the update service says about the update
/// from the cluster's release. `service` is the body of the service's answer at /explain (docs/api.md), or an
/// Error that says why there is none.
Answer why(std::string_view version, const openshift::ClusterVersion& cluster,
           const Result<std::string>& service);

}  // namespace fairway::client
