// SPDX-License-Identifier: Apache-2.0

// Characters that decide how YAML may be written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairway::apiserver::openapi {

/// The ways in which a text may be written outside of flow collections.
struct ScalarTraits {
  bool multiline = false;
  bool plain_allowed = true, single_quoted_allowed = true, block_allowed = true;
};

ScalarTraits traits_of(std::string_view text);

/// Returns the number of bytes of the character at a place in text of UTF-8.
std::size_t width_at(std::string_view text, std::size_t at);
/// Returns whether a character is a line break of YAML 1.1.
bool is_break(std::string_view character);

/// Returns a text in double quotes.
std::string double_quoted(std::string_view text);
/// Returns what stands after the "|" of a literal text: its indent if it begins with white space, and how it
/// ends.
std::string block_hints(std::string_view text, int indent);

}  // namespace fairway::apiserver::openapi
