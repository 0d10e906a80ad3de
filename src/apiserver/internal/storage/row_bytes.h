// SPDX-License-Identifier: Apache-2.0

// The bytes that a change takes in the database.
#pragma once

#include <cstdint>

namespace fairway::apiserver::storage {

inline constexpr std::int64_t page_bytes = 4096;

/// Returns the bytes that the row of a change and its entry in the index take: a page alone where no second
/// row fits beside it, and whole pages for a row that is too large for one.
/// https://www.sqlite.org/fileformat.html, "B-tree Pages".
constexpr std::int64_t row_bytes(std::int64_t path_bytes, std::int64_t json_bytes) {
  constexpr std::int64_t head = 40, largest_in_page = 4061, least_in_page = 489, overflow = page_bytes - 4;
  const std::int64_t row = head + path_bytes + json_bytes, entry = head + path_bytes;
  if (row <= page_bytes / 2) return row + entry;
  if (row <= largest_in_page) return page_bytes + entry;
  return least_in_page + (row - least_in_page + overflow - 1) / overflow * page_bytes + entry;
}

}  // namespace fairway::apiserver::storage
