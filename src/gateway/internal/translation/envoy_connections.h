// SPDX-License-Identifier: Apache-2.0

// Settings that end connections that nobody uses, while requests and streams last as long as their route
// says.
#pragma once

#include <chrono>

#include "base/json.h"
#include "gateway/internal/model/connection_times.h"

namespace fairway::gateway {

/// Returns the options of a socket that make TCP ask clients whether they are there after `keepalive` of
/// silence. Accepted connections inherit them from their listener. Empty: zero asks never.
json::Array keepalive_options(std::chrono::seconds keepalive);

/// Returns the `upstream_connection_options` of a cluster: TCP asks backends whether they are there. HTTP/2
/// does not: servers of gRPC end connections on which they are pinged more often than every five minutes.
json::Object backend_keepalive(std::chrono::seconds keepalive);

/// Returns the `common_http_protocol_options` of a cluster for mirrored requests: nobody waits for the answer
/// to a copy, and a copy that is never answered would be kept for ever.
json::Object mirror_limit();

/// Adds the limits of time to an HttpConnectionManager. Envoy would end streams after five minutes without a
/// byte.
void add_client_times(const ConnectionTimes& times, std::chrono::seconds keepalive, json::Object& manager);

/// Adds the limit for handshakes to a listener of TLS and to its filter chains.
void add_handshake_times(const ConnectionTimes& times, json::Object& listener);

}  // namespace fairway::gateway
