// SPDX-License-Identifier: Apache-2.0

// Parses Prometheus's text exposition format, from targets and files.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "promql/engine/series.h"

namespace fairway::promql {

/// The number of samples in a text, and of those with a timestamp.
struct ExpositionCount {
  std::size_t samples = 0, dated = 0;
};

/// Adds the samples of a text to a store: `name{label="value"} 1.5`, with a timestamp in milliseconds (or,
/// written with a dot, in seconds) or at `time`. Comments are ignored. Labels and values are read as
/// Prometheus's text parser reads them. The error names the line. It is also an error if the store already
/// has a different value of the series for that time, because it is unknown which is right. Samples of
/// metrics that `wanted` rejects are parsed and counted, but not stored; an empty `wanted` accepts all.
Result<ExpositionCount> read_exposition(std::string_view text, Timestamp time, SeriesStore& store,
                                        const std::function<bool(std::string_view metric)>& wanted = {});

}  // namespace fairway::promql
