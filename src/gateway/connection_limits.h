// SPDX-License-Identifier: Apache-2.0

// Limits on the connections of an Envoy. Without them one client, or a route that leads in circles through
// something else, takes all descriptors and memory of the Envoy that all share.
#pragma once

#include <chrono>
#include <cstdint>

namespace fairway::gateway {

/// Default for the connections of clients to one Envoy, and for those of an Envoy to one backend.
inline constexpr std::uint32_t default_max_connections = 100'000;

/// Number of requests that may be in progress or wait for a connection, per connection that a backend may
/// have: connections of HTTP/2 carry many.
inline constexpr std::uint32_t requests_per_connection = 10;

/// Default for the silence after which the other side of a connection is asked whether it is there.
inline constexpr std::chrono::seconds default_keepalive{60};

/// Returns the number of client connections that an Envoy with this limit of file descriptors accepts: each
/// may need another one to a backend, and some are reserved for listeners, logs and the like. It is at most
/// `asked`, and at least 1.
std::uint32_t client_connections_limit(std::uint32_t asked, std::uint64_t descriptors);

}  // namespace fairway::gateway
