// SPDX-License-Identifier: Apache-2.0

// Values as Go's fmt prints them: the API server's messages are made of that. Numbers: base/go_text.h.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace fairway::schema::internal {

/// Returns a text in quotes, with Go's escapes ("%q").
std::string go_quoted(std::string_view text);
/// Returns a value as messages show it: texts quoted, numbers plain, lists and objects as JSON with sorted
/// keys.
std::string go_value(const json::Value& value);

}  // namespace fairway::schema::internal
