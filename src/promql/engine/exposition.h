// Prometheus's text exposition format, as targets and text files give it.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "promql/engine/series.h"

namespace fairway::promql {

/// How many samples a text had, and how many of them said when they were taken.
struct ExpositionCount {
  std::size_t samples = 0, dated = 0;
};

/// Adds the samples of a text to a store: `name{label="value"} 1.5`, with a timestamp in milliseconds (or,
/// written with a dot, in seconds) or at `time`. Comments are passed over. Labels and values are read as
/// Prometheus's text parser reads them. The error names the line; it is one too where the store has another
/// value of the series for that time already, because nobody can tell which one holds. Of metrics that are
/// not `wanted` samples are read and counted, but not kept; where it is empty, all are.
Result<ExpositionCount> read_exposition(std::string_view text, Timestamp time, SeriesStore& store,
                                        const std::function<bool(std::string_view metric)>& wanted = {});

}  // namespace fairway::promql
