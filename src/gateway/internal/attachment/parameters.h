// GatewayParameters (fairway.dev/v1alpha1): what a GatewayClass, or a Gateway for itself, asks for.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/translation/access_log.h"

namespace fairway::gateway {

struct Parameters {
  /// Whether Ready stands on Gateways and listeners.
  bool ready = false;
  /// Whether Scheduled and Detached stand beside Accepted.
  bool deprecated_conditions = false;
  /// The Service before the Envoys, whose addresses Gateways have that name none.
  std::optional<k8s::Key> service = std::nullopt;
  /// Whether anything is said of an access log; that log, if one is asked for.
  bool names_access_log = false;
  std::optional<AccessLog> access_log = std::nullopt;

  bool operator==(const Parameters&) const = default;

  /// Takes what they do not name and a Gateway's own parameters need not repeat: the Service, the access log.
  void inherit(const Parameters& of_class);
};

/// The parameters of a Gateway: its own, or else those of its class; the Service and the access log of its
/// class where its own name none. `std::nullopt` where they cannot be used, or the class is not this
/// controller's.
std::optional<Parameters> parameters_of(const Objects& objects, const k8s::Dynamic& gateway);

/// The parameters that a `parametersRef` leads to. `local` is the namespace of a reference that names none.
/// `files`: whether the access log may be a file. Errors: it is of another kind, there is no such object, or
/// the object has an unknown key or a wrong value.
Result<Parameters> read_parameters(const Objects& objects, const k8s::View& ref, std::string_view local,
                                   LogFiles files);

}  // namespace fairway::gateway
