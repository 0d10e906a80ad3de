// Values as Go's fmt and encoding/json print them: the API server's messages are made of that.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace fairway::schema::internal {

/// In quotes, with Go's escapes ("%q").
std::string go_quoted(std::string_view text);
/// The shortest text that reads as the same number, with an exponent from 1e+06 on ("%v").
std::string go_number(double value);
/// How a message shows a value: texts quoted, numbers plain, lists and objects as JSON with sorted keys.
std::string go_value(const json::Value& value);
/// As encoding/json writes it: keys sorted, and characters that matter in HTML escaped.
void append_go_json(std::string& out, const json::Value& value);

}  // namespace fairway::schema::internal
