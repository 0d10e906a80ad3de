// SPDX-License-Identifier: Apache-2.0

// The features that GatewayClasses list as supported.
#pragma once

#include <span>
#include <string_view>

namespace fairway::gateway {

/// Returns the features of Gateway API v1.7 that the controller supports, by their names in the API's
/// features package, in ascending order, as `status.supportedFeatures` requires. These are the features whose
/// tests in the official conformance suite pass.
std::span<const std::string_view> supported_features();

}  // namespace fairway::gateway
