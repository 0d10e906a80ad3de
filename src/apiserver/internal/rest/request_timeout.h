// SPDX-License-Identifier: Apache-2.0

// The query parameter `timeout`, which every request that is not long-running may have.
#pragma once

#include "apiserver/internal/access/request_info.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

/// Checks the `timeout` of a request, as kube-apiserver does before it asks who sends it. Watches and logs,
/// which have no deadline there, may have any. Errors (400): it is no duration of Go.
k8s::StatusResult<void> check_timeout(const access::RequestInfo& info);

}  // namespace fairway::apiserver::rest
