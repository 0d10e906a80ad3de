// SPDX-License-Identifier: Apache-2.0

// Evaluates queries over series in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "promql/engine/series.h"
#include "promql/engine/value.h"
#include "promql/parser/ast.h"
#include "promql/parser/dialect.h"

namespace fairway::promql {

/// Returns the processor time that this thread has used.
std::chrono::nanoseconds thread_cpu_time();

struct EngineOptions {
  Dialect dialect = Dialect::prometheus3;
  /// Lookback: maximum age of the sample of an instant selector.
  std::chrono::milliseconds lookback = std::chrono::minutes(5);
  /// The default step of subqueries.
  std::chrono::milliseconds default_step = std::chrono::minutes(1);
  /// True to enable Prometheus's experimental feature promql-delayed-name-removal: metric names are dropped
  /// from the final result, not by each operation.
  bool delayed_name_removal = false;
  /// Limits on samples in memory, and on samples read by the whole query (each read of a range counts).
  std::size_t max_samples = 10'000'000;
  std::size_t max_samples_read = 500'000'000;
  /// Limit on the series that one selector matches.
  std::size_t max_series = 1'000'000;
  /// Limit on the memory of the label sets that the query creates, with all labels of each new series
  /// counted, as long as they are in use.
  std::size_t max_label_bytes = std::size_t{256} << 20;
  /// Store for instant selectors, if not that of range selectors: the samples that a server itself selected
  /// at the time of the query. It must outlive the evaluation.
  const SeriesStore* present = nullptr;
  /// Deadline, on `clock`.
  std::optional<SteadyTime> deadline = {};
  Clock* clock = nullptr;
  /// Limit on the processor time, on `cpu_time`; std::nullopt: no such limit.
  std::optional<std::chrono::nanoseconds> cpu_until = {};
  /// Returns the processor time that the thread has used so far; called every few thousand samples.
  std::function<std::chrono::nanoseconds()> cpu_time = thread_cpu_time;
  std::stop_token stop = {};
};

struct QueryError {
  enum class Kind {
    execution,
    timeout,
    cancelled,
    limit,
    unsupported,
    too_costly  ///< it creates too many labels, or its processor time is used up
  };
  Kind kind = Kind::execution;
  /// Message, Prometheus's own if it has one.
  std::string message = {};
  /// Name of the unsupported feature that the query needs: "native histograms".
  std::string unsupported_feature = {};
};

struct QueryResult {
  Value value = {};
  std::set<std::string> warnings = {}, infos = {};
};

/// Evaluates a query at one time. `query` is its text, for the positions in annotations.
std::expected<QueryResult, QueryError> instant_query(const Expression& expression, std::string_view query,
                                                     const SeriesStore& store, Timestamp time,
                                                     const EngineOptions& options = {});

/// Evaluates a query of scalar or instant vector type at `start`, `start + step`, ... up to `end`; the result
/// is a matrix, sorted by labels. `step` is positive milliseconds.
std::expected<QueryResult, QueryError> range_query(const Expression& expression, std::string_view query,
                                                   const SeriesStore& store, Timestamp start, Timestamp end,
                                                   Timestamp step, const EngineOptions& options = {});

}  // namespace fairway::promql
