// SPDX-License-Identifier: Apache-2.0

// Regular expressions of schemas.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace fairway::schema::internal {

/// Compiles a pattern; nullptr if it is no regular expression. Groups may be named `(?<name>...)` too, as in
/// Go.
std::unique_ptr<re2::RE2> compile_pattern(std::string_view pattern);
/// Returns the fault of a regular expression, in Go's words.
std::optional<std::string> find_pattern_fault(std::string_view pattern);

}  // namespace fairway::schema::internal
