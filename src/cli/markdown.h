// SPDX-License-Identifier: Apache-2.0

// Markdown for comments of pull requests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairway::cli {

/// Largest comment, in bytes; GitHub accepts 65,536 characters.
inline constexpr std::size_t max_markdown_comment = 60'000;

/// Returns a text as code in Markdown, so that it contains neither markup nor mentions: anybody may have
/// chosen the names. Characters that would end the code, or a cell of a table, are escaped by number.
std::string markdown_code(std::string_view text);

}  // namespace fairway::cli
