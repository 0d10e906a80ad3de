// SPDX-License-Identifier: Apache-2.0

// The evaluator that fetches series once for all risks that are due, and evaluates their queries locally.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "base/clock.h"
#include "promql/engine/engine.h"
#include "risk/evaluator.h"
#include "risk/evaluators/prometheus_api.h"
#include "risk/internal/evaluators/snapshot_series.h"

namespace fairway::risk {

struct SnapshotOptions {
  /// Maximum size of the reply to one fetch; a larger one is an error.
  std::size_t max_answer_bytes = std::size_t{64} << 20;
  /// Maximum numbers of series and samples; more are an error.
  FetchLimits most;
  /// Maximum size of the metric names of one fetch, in bytes; more names take a second fetch, and then
  /// another slot.
  std::size_t max_names_bytes = 4096;
  /// Limits of one evaluation; clock, deadline, stop token and dialect are set for each.
  promql::EngineOptions engine = evaluation_limits();
  std::chrono::milliseconds evaluation_deadline = std::chrono::seconds(10);
  CpuLimits cpu;
  /// Counts of the series of each metric; share it with the registry's `CostLimits`.
  std::shared_ptr<promql::SeriesSeen> seen = std::make_shared<promql::SeriesSeen>();
};

/// Returns an evaluator that fetches series. A slot sends one query, and answers all due questions of one
/// kind: those that consist of instant selectors, or of ranges of one window each, without `offset`, `@`,
/// subqueries, `timestamp()` or selectors without a metric name. Only if their metric names have more than
/// `max_names_bytes` is there a second query. The server is queried for `{__name__=~"..."}`: at its current
/// time for instant selectors, because only the server knows which series have ended and its lookback, and
/// with the longest range for range selectors. Queries are then evaluated locally, by the rules of both
/// Prometheus 2 and 3, because the server may be either. Ranges are fetched at the local time, and are used
/// if the reply's Date says that this was the server's current time; otherwise they wait for the next slot,
/// as does `time()` if the instant fetch had no samples. Every other question (one with instant selectors and
/// ranges too, which would take two queries) takes a slot and is sent to the server unchanged. So are, in the
/// next free slot, questions on whose outcome the two dialects disagree and, until the server has answered
/// any query, the questions of a fetch that failed or had warnings. After that, a failed fetch is retried
/// separately with half as many metrics, until those that cannot be fetched are isolated: these are sent
/// individually for one hour, doubled with each further failure up to one day. One day also applies to
/// queries that the local engine does not support or gave up on (limits, deadline). The clock must outlive
/// it.
std::unique_ptr<Evaluator> make_snapshot(std::shared_ptr<PrometheusApi> api, const SnapshotOptions& options,
                                         Clock& clock);

}  // namespace fairway::risk
