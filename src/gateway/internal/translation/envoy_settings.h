// What a rule asks of Envoy beyond its backends: time limits, retries, CORS, sessions.
#pragma once

#include "base/json.h"
#include "gateway/internal/objects/api.h"
#include "k8s/view.h"

namespace fairway::gateway {

/// The HTTP filters of every listener. Those that only some rules use do nothing for the others: were they
/// only where they are used, a new rule would replace the listener, and end its connections.
json::Array http_filters();

/// Time limits and retries of a rule, in its RouteAction.
void add_times(RouteKind kind, const k8s::View& rule, json::Object& action);

/// CORS and session persistence of a rule, in its Route.
void add_filter_settings(const k8s::View& rule, json::Object& route);

}  // namespace fairway::gateway
