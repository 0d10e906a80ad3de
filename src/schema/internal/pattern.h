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

/// nullptr where it is no regular expression. Groups may be named `(?<name>...)` too, as Go has it.
std::unique_ptr<re2::RE2> compile_pattern(std::string_view pattern);
/// What is wrong with a regular expression, as Go says it.
std::optional<std::string> find_pattern_fault(std::string_view pattern);

}  // namespace fairway::schema::internal
