// SPDX-License-Identifier: Apache-2.0

// Truncates foreign text to the length limit of a field.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairway {

/// The text as UTF-8 of at most `limit` bytes, and so of at most as many characters: a byte that belongs to
/// no character becomes U+FFFD, and a longer text is cut at a character, with an ellipsis ("..."). `limit` is
/// at least 3.
std::string cut_text(std::string_view text, std::size_t limit);

}  // namespace fairway
