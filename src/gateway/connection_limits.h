// How many connections an Envoy has at a time: without limits one client, or a route that leads in circles
// through something else, takes all descriptors and memory of the Envoy that all share.
#pragma once

#include <cstdint>

namespace fairway::gateway {

/// Connections of clients of an Envoy, and of an Envoy to one backend, where nobody says otherwise.
inline constexpr std::uint32_t default_max_connections = 100'000;

/// How many requests may be on their way to a backend, or wait for a connection, for each connection that it
/// may have: those of HTTP/2 carry many.
inline constexpr std::uint32_t requests_per_connection = 10;

/// How many connections of clients an Envoy takes that may have so many descriptors: each may need another
/// one to a backend, and some are for listeners, logs and the like. `asked` at the most, and never none.
std::uint32_t client_connections_limit(std::uint32_t asked, std::uint64_t descriptors);

}  // namespace fairway::gateway
