// SPDX-License-Identifier: Apache-2.0

// Small text helpers that all modules use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairway {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Returns the text in lower case. ASCII only; other bytes are kept.
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);
/// Returns whether `text` is well-formed UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view text);
/// Shell-style name patterns: `*` matches any run, `?` any one character; everything else is literal.
bool matches_glob(std::string_view pattern, std::string_view text);
/// Text made safe for one line of a log or an error: control characters escaped, cut at `limit` bytes with an
/// ellipsis.
std::string printable(std::string_view text, std::size_t limit = 200);

}  // namespace fairway
