// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/span.h"

#include <algorithm>

namespace fairway::promql {

LineColumn line_column(std::string_view query, std::size_t position) {
  const std::string_view before = query.substr(0, std::min(position, query.size()));
  const std::size_t line_break = before.rfind('\n');
  return {.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
          .column = before.size() - (line_break == std::string_view::npos ? 0 : line_break + 1) + 1};
}

std::string position_text(std::string_view query, std::size_t position) {
  if (query.empty()) return "unknown position";
  if (position > query.size()) return "invalid position";
  const LineColumn place = line_column(query, position);
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

}  // namespace fairway::promql
