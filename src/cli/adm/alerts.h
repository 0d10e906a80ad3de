// The alerts of the cluster that a command is about.
#pragma once

#include <string>

#include "cli/adm/cluster.h"

namespace fairway::cli {

/// The answer of GET /api/v1/alerts: of `file` (--alerts), or of OpenShift's own monitoring, at its Route and
/// with the bearer token of the kubeconfig, which goes there by https alone. An Error `not_found`: the
/// cluster has no such Route; other Errors say why there is no answer.
Result<std::string> read_alerts(const Cluster& cluster, const std::string& file);

}  // namespace fairway::cli
