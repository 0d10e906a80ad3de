// SPDX-License-Identifier: Apache-2.0

// JSON pointers (RFC 6901): "/spec/ports/0/name".
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::k8s {

/// Returns the names of a pointer, with "~1" and "~0" unescaped; none for "", which is the whole document.
Result<std::vector<std::string>> parse_json_pointer(std::string_view text);
/// Returns the text form of one name, with "/" and "~" escaped.
std::string escape_json_pointer(std::string_view name);
/// Returns the text form of names: `json_pointer({"metadata", "annotations", "example.com/a"})`.
std::string json_pointer(std::initializer_list<std::string_view> names);

}  // namespace fairway::k8s
