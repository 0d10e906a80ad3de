// What GatewayClasses say that they support.
#pragma once

#include <span>
#include <string_view>

namespace fairway::gateway {

/// The features of Gateway API v1.6 that the controller has, by the names of the API's features package, in
/// ascending order, as `status.supportedFeatures` asks. Named are those whose tests of the official
/// conformance suite pass.
std::span<const std::string_view> supported_features();

}  // namespace fairway::gateway
