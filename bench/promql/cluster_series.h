// SPDX-License-Identifier: Apache-2.0

// The series of a made-up OpenShift cluster: what the queries of graph data look at, and filler.
#pragma once

#include <cstddef>

#include "promql/engine/series.h"

namespace fairway::bench {

/// Evaluation time of the queries, that of the last sample, in milliseconds.
inline constexpr promql::Timestamp cluster_time = 1'772'000'400'000;

/// Returns `count` series with a sample every 30 s for 65 minutes up to cluster_time. The labels are those of
/// a cluster's monitoring, so that most published queries find something; their counts are those of a cluster
/// of 12 nodes.
promql::SeriesStore cluster_series(std::size_t count);

}  // namespace fairway::bench
