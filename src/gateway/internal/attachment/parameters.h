// SPDX-License-Identifier: Apache-2.0

// Reads GatewayParameters (fairway.dev/v1alpha1).
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "gateway/internal/model/access_log.h"
#include "gateway/internal/model/parameters.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

/// Returns the parameters of a Gateway: its own, or else those of its class. Service and access log of the
/// class apply if its own parameters do not name any. `std::nullopt`: they cannot be used, or the class is
/// not this controller's.
std::optional<Parameters> parameters_of(const Objects& objects, const k8s::Dynamic& gateway);

/// Reads the parameters that a `parametersRef` refers to. `local` is the namespace of a reference without
/// one. `files`: whether the access log may be a file. Errors: the reference is of another kind, there is no
/// such object, or the object has an unknown key or a wrong value.
Result<Parameters> read_parameters(const Objects& objects, const k8s::View& ref, std::string_view local,
                                   LogFiles files);

}  // namespace fairway::gateway
