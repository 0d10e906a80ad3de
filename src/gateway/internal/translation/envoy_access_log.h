// SPDX-License-Identifier: Apache-2.0

// Access logs, as Envoy's configuration.
#pragma once

#include "base/json.h"
#include "gateway/internal/model/access_log.h"

namespace fairway::gateway {

/// Returns the filter that keeps the path that a client asks for, before a rule rewrites it. The field `path`
/// is made of it.
json::Object asked_path_filter();

/// Returns the `access_log` of Envoy's filters.
json::Array envoy_access_log(const AccessLog& log);

}  // namespace fairway::gateway
