// SPDX-License-Identifier: Apache-2.0

// Code points of UTF-8 text, which is what CEL counts strings in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fairway::cel {

/// Returns the number of code points of well-formed UTF-8: of the bytes that do not continue one
/// (0b10......). It counts eight bytes at a time, since each call and comparison is counted by it.
inline std::size_t count_code_points(std::string_view text) {
  constexpr std::uint64_t lowest = 0x0101010101010101;
  std::size_t count = text.size(), at = 0;
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    const std::uint64_t continued = (eight >> 7) & ~(eight >> 6) & lowest;
    count -= (continued * lowest) >> 56;  // their sum
  }
  for (; at < text.size(); ++at) count -= (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80 ? 1 : 0;
  return count;
}

/// Returns the size in bytes of the code point that starts with this byte.
inline std::size_t code_point_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/// Returns the code point at a byte of well-formed UTF-8.
inline std::uint32_t code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  switch (code_point_size(text[at])) {
    case 1:
      return byte(0);
    case 2:
      return ((byte(0) & 0x1fu) << 6) | (byte(1) & 0x3fu);
    case 3:
      return ((byte(0) & 0x0fu) << 12) | ((byte(1) & 0x3fu) << 6) | (byte(2) & 0x3fu);
    default:
      return ((byte(0) & 0x07u) << 18) | ((byte(1) & 0x3fu) << 12) | ((byte(2) & 0x3fu) << 6) |
             (byte(3) & 0x3fu);
  }
}

}  // namespace fairway::cel
