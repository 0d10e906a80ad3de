// SPDX-License-Identifier: Apache-2.0

// Series out of an answer of the query API.
#pragma once

#include <cstddef>

#include "base/json.h"
#include "base/result.h"
#include "promql/engine/series.h"

namespace fairway::risk {

struct FetchedSeries {
  promql::SeriesStore series;
  /// Time at which the server evaluated an instant selector, if its answer says: the time of its samples.
  promql::Timestamp time = 0;
};

/// Limits of one answer; more is an error.
struct FetchLimits {
  std::size_t series = 200'000, samples = 2'000'000;
};

/// Reads the `data` of an answer to a plain selector: a vector or a matrix. An Error: it is neither, lacks
/// samples, or exceeds a limit, which it names.
Result<FetchedSeries> read_fetched_series(const json::Value& data, const FetchLimits& limits = {});

}  // namespace fairway::risk
