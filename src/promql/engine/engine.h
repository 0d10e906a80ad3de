// Evaluates queries over series in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
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

struct EngineOptions {
  Dialect dialect = Dialect::prometheus3;
  /// How old the sample of an instant selector may be.
  std::chrono::milliseconds lookback = std::chrono::minutes(5);
  /// The step of subqueries that name none.
  std::chrono::milliseconds default_step = std::chrono::minutes(1);
  /// Prometheus's experimental feature promql-delayed-name-removal: names are dropped from the result, not on
  /// the way.
  bool delayed_name_removal = false;
  /// Samples held at a time, and samples read by the whole query (each read of a range counts its points).
  std::size_t max_samples = 10'000'000;
  std::size_t max_samples_read = 500'000'000;
  /// Series that one selector finds.
  std::size_t max_series = 1'000'000;
  /// Where instant selectors look, in place of the store that ranges are of: what a server itself selected at
  /// the time of the query. It outlives the evaluation.
  const SeriesStore* present = nullptr;
  /// When to give up, on `clock`.
  std::optional<SteadyTime> deadline;
  Clock* clock = nullptr;
  std::stop_token stop;
};

struct QueryError {
  enum class Kind { execution, timeout, cancelled, limit, unsupported };
  Kind kind = Kind::execution;
  /// In Prometheus's words, where it has some.
  std::string message;
  /// What the query needs that is not offered here: "native histograms".
  std::string unsupported_feature;
};

struct QueryResult {
  Value value;
  std::set<std::string> warnings, infos;
};

/// Evaluates a query at one time. `query` is its text, which annotations give positions in.
std::expected<QueryResult, QueryError> instant_query(const Expression& expression, std::string_view query,
                                                     const SeriesStore& store, Timestamp time,
                                                     const EngineOptions& options = {});

/// Evaluates a query of scalar or instant vector type at `start`, `start + step`, ... up to `end`; the result
/// is a matrix, sorted by labels. `step` is positive milliseconds.
std::expected<QueryResult, QueryError> range_query(const Expression& expression, std::string_view query,
                                                   const SeriesStore& store, Timestamp start, Timestamp end,
                                                   Timestamp step, const EngineOptions& options = {});

}  // namespace fairway::promql
