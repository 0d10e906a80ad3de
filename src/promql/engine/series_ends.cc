// SPDX-License-Identifier: Apache-2.0

#include "promql/engine/series_ends.h"

#include <string>

#include "base/text.h"
#include "promql/internal/engine/exposition_line.h"

namespace fairway::promql {

namespace {

/// Reads the rest of a line after the mark into the store. Returns what is wrong with it; empty if nothing
/// is.
std::string read_end(std::string_view line, SeriesStore& store) {
  const auto series = take_series(line);
  if (!series) return series.error();
  if ((*series)->labels().empty()) return "what ended has neither a name nor labels";
  const auto time = read_timestamp(trim(line));
  if (!time) return time.error();
  if (const auto before = store.value_at(*series, *time); before && !is_stale(*before)) {
    return "the series " + printable(Metric(*series).to_string(), 200) +
           " has a sample for the time at which it ended";
  }
  store.add(*series, *time, stale_marker());
  return {};
}

}  // namespace

Result<std::size_t> read_series_ends(std::string_view text, SeriesStore& store) {
  std::size_t ends = 0;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line);
    if (!line.starts_with(series_end_mark)) continue;
    if (std::string wrong = read_end(trim(line.substr(series_end_mark.size())), store); !wrong.empty())
      return fail(ErrorCode::invalid, "line " + std::to_string(number) + ": " + wrong);
    ++ends;
  }
  return ends;
}

}  // namespace fairway::promql
