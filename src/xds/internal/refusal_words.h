// SPDX-License-Identifier: Apache-2.0

// Envoy's message when it refuses a resource, for the authors of that resource.
#pragma once

#include <string>

namespace fairway::xds {

/// Returns Envoy's message without the resource, which Envoy prints before it if a value is out of its range,
/// and which may contain parts of other objects. If that was so long that the message was cut off, returns
/// what is known.
std::string refusal_words(const std::string& said);

}  // namespace fairway::xds
