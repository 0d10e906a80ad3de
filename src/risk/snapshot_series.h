// Series out of an answer of the query API.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "promql/series.h"

namespace fairway::risk {

struct FetchedSeries {
  promql::SeriesStore series;
  /// The time at which the server evaluated an instant selector, where its answer says: the time of its
  /// samples.
  promql::Timestamp time = 0;
};

/// Reads the `data` of an answer to a plain selector: a vector or a matrix. An Error: it is neither, or has
/// no samples where they belong.
Result<FetchedSeries> read_fetched_series(const json::Value& data);

}  // namespace fairway::risk
