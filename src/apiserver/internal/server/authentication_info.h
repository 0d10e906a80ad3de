// SPDX-License-Identifier: Apache-2.0

// The ConfigMap by which other servers of a cluster learn whose client certificates to trust.
#pragma once

#include <string>

#include "apiserver/internal/objects/objects.h"
#include "base/result.h"

namespace fairway::apiserver::server {

/// Creates `kube-system/extension-apiserver-authentication` with the authority of client certificates (PEM)
/// as `client-ca-file`, as a real server does without a front proxy, or corrects that entry. Metrics servers,
/// kube-controller-manager and others that delegate authentication read it at their start.
Result<void> publish_authentication_info(objects::Objects& objects, const std::string& client_authority);

}  // namespace fairway::apiserver::server
