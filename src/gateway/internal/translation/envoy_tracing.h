// SPDX-License-Identifier: Apache-2.0

// Spans of requests, as Envoy's configuration.
#pragma once

#include <string>

#include "base/json.h"
#include "gateway/internal/model/tracing.h"
#include "gateway/internal/translation/translation.h"

namespace fairway::gateway {

/// Returns the `tracing` of an HttpConnectionManager for the Gateway NAMESPACE/NAME, and adds the collector's
/// cluster.
json::Object envoy_tracing(const Tracing& tracing, const std::string& gateway, Translation& out);

}  // namespace fairway::gateway
