// SPDX-License-Identifier: Apache-2.0

// The times at which series ended, in the text exposition format.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "promql/engine/series.h"

namespace fairway::promql {

/// The beginning of a line that says when a series ended. The text format has no stale markers, so it is a
/// comment, which other readers ignore: `# fairway: ended up{job="a"} 1700000000000`, with the time in
/// milliseconds.
inline constexpr std::string_view series_end_mark = "# fairway: ended ";

/// Adds a stale marker to a store for each line of a text that says when a series ended; returns their
/// number. Without it a series lives on for the lookback (five minutes) after its last sample. Samples are
/// not read (`read_exposition` does that, before or after). An Error names the line: it cannot be read, or
/// the store has a sample of the series for that time.
Result<std::size_t> read_series_ends(std::string_view text, SeriesStore& store);

}  // namespace fairway::promql
