// The settings of GatewayParameters (fairway.dev/v1alpha1), of a GatewayClass or of a Gateway for itself.
#pragma once

#include <optional>

#include "gateway/internal/model/access_log.h"
#include "k8s/object.h"

namespace fairway::gateway {

struct Parameters {
  /// True if Ready stands on Gateways and listeners.
  bool ready = false;
  /// True if Scheduled and Detached stand beside Accepted.
  bool deprecated_conditions = false;
  /// The Service before the Envoys, whose addresses Gateways have that name none.
  std::optional<k8s::Key> service = std::nullopt;
  /// True if anything is said of an access log; that log, if one is asked for.
  bool names_access_log = false;
  std::optional<AccessLog> access_log = std::nullopt;

  bool operator==(const Parameters&) const = default;

  /// Takes what they do not name and a Gateway's own parameters need not repeat: the Service, the access log.
  void inherit(const Parameters& of_class);
};

}  // namespace fairway::gateway
