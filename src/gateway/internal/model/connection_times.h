// SPDX-License-Identifier: Apache-2.0

// Limits of time for what clients hold open without using it, as GatewayParameters ask for them. Requests,
// and connections of TLS and TCP, have none: they last as long as their route says.
#pragma once

#include <chrono>

#include "base/json.h"
#include "base/result.h"

namespace fairway::gateway {

/// Zero: there is no limit.
struct ConnectionTimes {
  /// Time that a connection of HTTP may have no request in progress.
  std::chrono::milliseconds idle = std::chrono::hours(1);
  /// Time that a handshake of TLS, or the headers of one request, may take.
  std::chrono::milliseconds headers = std::chrono::seconds(10);
  /// Time that the rest of an answer is kept while the client takes none of it.
  std::chrono::milliseconds unread = std::chrono::minutes(5);
  /// Time that a session of UDP may have no datagram.
  std::chrono::milliseconds session = std::chrono::minutes(1);
  bool operator==(const ConnectionTimes&) const = default;
};

/// Reads `spec.connections` of GatewayParameters. Keys that are not there keep their defaults.
Result<ConnectionTimes> read_connection_times(const json::Value& value);

}  // namespace fairway::gateway
