// SPDX-License-Identifier: Apache-2.0

// Requests of one match that Envoy needs routes of their own for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gateway/internal/objects/api.h"
#include "gateway/internal/translation/envoy_matches.h"
#include "k8s/view.h"

namespace fairway::gateway {

/// Returns the well-known port of "http" or "https".
std::int64_t default_port(std::string_view scheme);

/// Splits the Envoy route of a match into those that are tried in its place, in this order:
/// - a redirect that keeps the request's host: one for a Host with a port, which Envoy would keep, too, and
///   one for a Host without;
/// - a redirect with CORS: preflights are answered, and redirects tell the origins that are allowed that they
///   may be read; Envoy's own filter does nothing beside a redirect;
/// - a match of a method with CORS: its preflights, which have another method;
/// - a retry: connections that are closed without an answer are tried again for methods that may be repeated.
/// `scheme`: that of the listener.
std::vector<EnvoyRoute> split(EnvoyRoute route, const k8s::View& rule, const k8s::View& match,
                              std::string_view scheme);

}  // namespace fairway::gateway
