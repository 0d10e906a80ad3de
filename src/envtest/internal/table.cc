// SPDX-License-Identifier: Apache-2.0

#include "envtest/internal/table.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::envtest {

std::vector<std::string_view> rows_of(std::string_view table) {
  std::vector<std::string_view> rows = split(table, '\n');
  std::erase_if(rows, [](std::string_view row) { return row.empty() || row.starts_with('#'); });
  return rows;
}

std::string_view take_word(std::string_view& row) {
  const std::string_view word = row.substr(0, row.find(' '));
  row.remove_prefix(std::min(word.size() + 1, row.size()));
  return word;
}

}  // namespace fairway::envtest
