// SPDX-License-Identifier: Apache-2.0

// The settings of GatewayParameters (fairway.dev/v1alpha1), of a GatewayClass or of a Gateway for itself.
#pragma once

#include <optional>

#include "gateway/internal/model/access_log.h"
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

  bool operator==(const Parameters&) const = default;

  /// Inherits the Service and the access log from the parameters of the class, where these name none.
  void inherit(const Parameters& of_class);
};

}  // namespace fairway::gateway
