// SPDX-License-Identifier: Apache-2.0

// The Service by which programs in a cluster find its API server.
#pragma once

#include <cstdint>

#include "apiserver/internal/objects/objects.h"
#include "base/result.h"

namespace fairway::apiserver::server {

/// Creates `default/kubernetes` (port 443), or gives it the port that the server has taken now.
Result<void> publish_kubernetes_service(objects::Objects& objects, std::uint16_t port);

}  // namespace fairway::apiserver::server
