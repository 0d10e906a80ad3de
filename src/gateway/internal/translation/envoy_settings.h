// SPDX-License-Identifier: Apache-2.0

// Envoy's settings for a rule beyond its backends: time limits, retries, CORS, sessions.
#pragma once

#include "base/json.h"
#include "gateway/internal/objects/api.h"
#include "k8s/view.h"

namespace fairway::gateway {

/// Returns the HTTP filters of every listener. Filters that only some rules use have no effect on the others.
/// If they were added only when they are used, a new rule would replace the listener, and end its
/// connections.
json::Array http_filters();

/// Adds time limits and retries of a rule to its RouteAction.
void add_times(const k8s::View& rule, json::Object& action);

/// Adds CORS and session persistence of a rule to its Route.
void add_filter_settings(const k8s::View& rule, json::Object& route);

}  // namespace fairway::gateway
