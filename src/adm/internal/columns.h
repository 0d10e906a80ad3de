// SPDX-License-Identifier: Apache-2.0

// Text in columns, as Go's text/tabwriter lays it out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairway::adm {

struct ColumnLayout {
  /// Minimum width of a column, padding included, in characters.
  std::size_t min_width = 0;
  /// Number of spaces after the widest cell of a column.
  std::size_t padding = 3;
};

/// Lays out lines of cells, each ended by a tab; the text after the last tab of a line belongs to no column.
/// A column is as wide as its widest cell in consecutive lines that have it: a line without it begins a new
/// column.
std::string lay_out_columns(std::string_view text, const ColumnLayout& layout = {});

}  // namespace fairway::adm
