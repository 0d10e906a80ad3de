// Values as Go's fmt prints them: the API server's messages are made of that. Numbers: base/go_text.h.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace fairway::schema::internal {

/// In quotes, with Go's escapes ("%q").
std::string go_quoted(std::string_view text);
/// How a message shows a value: texts quoted, numbers plain, lists and objects as JSON with sorted keys.
std::string go_value(const json::Value& value);

}  // namespace fairway::schema::internal
