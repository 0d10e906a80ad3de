// SPDX-License-Identifier: Apache-2.0

// A range of an expression's text.
#pragma once

#include <cstdint>

namespace fairway::cel {

/// Bytes [start, end) of the source.
struct Span {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace fairway::cel
