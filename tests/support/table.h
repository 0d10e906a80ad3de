// SPDX-License-Identifier: Apache-2.0

// Tables of cases: one case a line, columns separated by tabs, "#" at the start of a line for comments.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fairway::testing {

struct TableRow {
  int line = 0;
  std::vector<std::string> columns;
  /// A column, or "" if the row ends before it.
  std::string at(std::size_t i) const { return i < columns.size() ? columns[i] : ""; }
};

/// Reads a table; throws if there is none: the fault is the test's, not the code's.
inline std::vector<TableRow> read_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no table at " + path);
  std::vector<TableRow> rows;
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    if (text.starts_with('#')) continue;
    TableRow row{line, {}};
    std::size_t begin = 0;
    for (std::size_t tab = 0; tab != std::string::npos; begin = tab + 1) {
      tab = text.find('\t', begin);
      row.columns.push_back(text.substr(begin, tab == std::string::npos ? tab : tab - begin));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace fairway::testing
