// SPDX-License-Identifier: Apache-2.0

// Text in quotes as Go writes it, which the messages of Kubernetes and Prometheus have in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairway {

/// A Unicode character at the front of `text` and its length in bytes; an ill-formed byte is U+FFFD of
/// length 1.
struct Rune {
  char32_t value = 0;
  std::size_t width = 0;
};
Rune first_rune(std::string_view text);

/// Returns whether Go prints the character as it is (unicode.IsPrint), as far as characters occur in
/// practice.
bool is_printable(char32_t character);

/// Appends the UTF-8 form of a character.
void append_utf8(std::string& out, char32_t character);

/// The text in double quotes, with everything that is not printable escaped (Go's %q of a string).
std::string quote(std::string_view text);
/// Returns one character in single quotes, escaped likewise (Go's %q of a rune).
std::string quote_character(char32_t character);
/// "U+0041 'A'" (Go's %#U).
std::string describe_character(char32_t character);

}  // namespace fairway
