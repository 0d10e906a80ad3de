// SPDX-License-Identifier: Apache-2.0

// Hexadecimal digits.
#pragma once

namespace fairway {

/// The value of a hexadecimal digit of either case; -1 where `c` is none.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace fairway
