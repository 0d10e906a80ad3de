// SPDX-License-Identifier: Apache-2.0

// Errors of regular expressions in the words of Go, whose messages users compare with.
#pragma once

#include <string_view>

namespace re2 {
class RE2;
}

namespace fairway {

/// Returns the name that Go's regexp/syntax package has for the error of an expression that RE2 could not
/// compile: "missing closing )". "expression too large" for an error that has no such name.
std::string_view go_regexp_error(const re2::RE2& expression);

}  // namespace fairway
