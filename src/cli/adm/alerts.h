// SPDX-License-Identifier: Apache-2.0

// The alerts of the cluster that a command is about.
#pragma once

#include <string>

#include "cli/adm/cluster.h"

namespace fairway::cli {

/// Returns the answer of GET /api/v1/alerts: from `file` (--alerts), or from OpenShift's own monitoring, at
/// its Route and with the bearer token of the kubeconfig, which is sent only over https. An Error
/// `not_found`: the cluster has no such Route; other Errors are the reason why there is no answer.
Result<std::string> read_alerts(const Cluster& cluster, const std::string& file);

}  // namespace fairway::cli
