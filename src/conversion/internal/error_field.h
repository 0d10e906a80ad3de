// SPDX-License-Identifier: Apache-2.0

// The field in the text of an error, and its value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace fairway::conversion {

/// Returns the field that an error of a conversion names, whatever the error is within: "Widget a: converting
/// from v1 to v2: spec.size: too large" says spec.size. Empty: none.
std::string_view field_in_error(std::string_view message);

/// Returns the value of a field for a message, as JSON, cut where it is long: "absent" if there is none.
/// `field` is a path of names and indices: "spec.ports[0].port". std::nullopt if it is not one.
std::optional<std::string> describe_value(const json::Object& object, std::string_view field);

}  // namespace fairway::conversion
