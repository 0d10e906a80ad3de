// SPDX-License-Identifier: Apache-2.0

// The beginning of a text that has to be cut.
#pragma once

#include <cstddef>
#include <string_view>

namespace fairway {

/// Returns the longest prefix of at most `most` bytes that does not end within a character of UTF-8, which
/// has up to three bytes after its first. If the bytes are not UTF-8, no more than three are left out.
inline std::string_view utf8_prefix(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  for (int i = 0; i < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80; ++i) --end;
  return text.substr(0, end);
}

}  // namespace fairway
