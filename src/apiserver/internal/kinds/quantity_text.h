// SPDX-License-Identifier: Apache-2.0

// Quantities of resources ("500m", "1Gi") in the form that Kubernetes writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::apiserver::kinds {

/// Returns the text that Kubernetes's Go code writes after it has read `text`: "1000m" is "1", "0.5" is
/// "500m", "2048Mi" is "2Gi". More than 18 digits stay as they are. The error (`invalid`) is the server's.
Result<std::string> canonical_quantity(std::string_view text);

/// Reads the exponent of a suffix, "e-3"; none if it is no exponent. As in Go's resource package only the
/// lower 32 bits of a number of 64 bits count.
std::optional<std::int32_t> exponent_of_suffix(std::string_view suffix);

}  // namespace fairway::apiserver::kinds
