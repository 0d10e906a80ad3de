// SPDX-License-Identifier: Apache-2.0

// Places in the text of a query.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairway::promql {

/// Bytes [start, end) of a query.
struct Span {
  std::size_t start = 0;
  std::size_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

/// Line and column of a byte, both from 1; the column counts bytes, as Prometheus's positions do.
struct LineColumn {
  std::size_t line = 1;
  std::size_t column = 1;
};
LineColumn line_column(std::string_view query, std::size_t position);

/// Returns the position of an error or warning as Prometheus names it: "1:8", or "unknown position" for an
/// empty query.
std::string position_text(std::string_view query, std::size_t position);

}  // namespace fairway::promql
