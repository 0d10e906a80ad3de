// The evaluator that fetches plain series once for all risks that are due, and evaluates their queries here.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "base/clock.h"
#include "promql/engine/engine.h"
#include "risk/evaluator.h"
#include "risk/evaluators/internal/snapshot_series.h"
#include "risk/evaluators/prometheus_api.h"

namespace fairway::risk {

struct SnapshotOptions {
  /// More answer than this of one fetch is an error.
  std::size_t max_answer_bytes = std::size_t{64} << 20;
  /// As are more series or samples.
  FetchLimits most;
  /// Metric names of one fetch, in bytes: what is beyond it takes a second fetch, and beyond that another
  /// slot.
  std::size_t max_names_bytes = 4096;
  /// Limits of one evaluation; clock, deadline, stop token and dialect are set for each.
  promql::EngineOptions engine;
  std::chrono::milliseconds evaluation_deadline = std::chrono::seconds(10);
};

/// One slot answers every question that is due and made of instant selectors and ranges of one window,
/// without `offset`, `@`, subqueries, `timestamp()` or selectors that name no metric. The server is asked for
/// `{__name__=~"..."}`: at its present time for what instant selectors need, because only it knows which
/// series have ended and how far it looks back, and with the longest range for what ranges need, at the same
/// time. The rest happens here, by the rules of Prometheus 2 and by those of Prometheus 3, for the server may
/// be either. Where the present had no samples, or nobody needed it, ranges are fetched at the time here, and
/// count where HTTP's Date says that this was the server's present; otherwise they wait for the next slot, as
/// does `time()`. Every other question takes a slot of its own and goes to the server as it is. So do, in the
/// next free slot, those whose outcome the two dialects do not agree on, and, until the server has answered
/// anything, the questions of a fetch that failed or came with warnings. Then these are fetched again, apart
/// from others and with half as many metrics, until those are found that cannot be fetched: they go by
/// themselves for an hour, and with each further failure for twice as long, up to a day. A day it is for what
/// the engine here does not offer or gave up (limits, deadline). The clock outlives it.
std::unique_ptr<Evaluator> make_snapshot(std::shared_ptr<PrometheusApi> api, const SnapshotOptions& options,
                                         Clock& clock);

}  // namespace fairway::risk
