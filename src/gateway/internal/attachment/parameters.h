// Reads GatewayParameters (fairway.dev/v1alpha1).
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "gateway/internal/model/access_log.h"
#include "gateway/internal/model/parameters.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

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
