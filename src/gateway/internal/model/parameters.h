// SPDX-License-Identifier: Apache-2.0

// The settings of GatewayParameters (fairway.dev/v1alpha1), of a GatewayClass or of a Gateway for itself.
#pragma once

#include <optional>

#include "gateway/internal/model/access_log.h"
#include "gateway/internal/model/connection_times.h"
#include "k8s/object.h"

namespace fairway::gateway {

struct Parameters {
  /// True if Gateways and listeners get the condition Ready.
  bool ready = false;
  /// True if the deprecated conditions Scheduled and Detached are set beside Accepted.
  bool deprecated_conditions = false;
  /// The Service before the Envoys. Gateways that name no address have those of this Service.
  std::optional<k8s::Key> service = std::nullopt;
  /// True if `accessLog` is set, and the log if one is asked for.
  bool names_access_log = false;
  std::optional<AccessLog> access_log = std::nullopt;

  /// The limits of `connections`; std::nullopt: it is not set.
  std::optional<ConnectionTimes> connections = std::nullopt;

  bool operator==(const Parameters&) const = default;

  /// Returns the limits for connections of clients.
  ConnectionTimes connection_times() const { return connections.value_or(ConnectionTimes{}); }
  /// Inherits the Service, the limits of connections and the access log from the parameters of the class,
  /// where these name none.
  void inherit(const Parameters& of_class);
};

}  // namespace fairway::gateway
