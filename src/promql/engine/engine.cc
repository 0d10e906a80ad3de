// SPDX-License-Identifier: Apache-2.0

#include "promql/engine/engine.h"

#include <time.h>

#include <algorithm>
#include <unordered_map>

#include "promql/internal/engine/evaluator.h"

namespace fairway::promql {

namespace {

std::expected<QueryResult, QueryError> finished(Evaluator& evaluator, Value value) {
  // A result after the deadline is discarded: the caller has stopped waiting.
  if (!evaluator.check_time()) return std::unexpected(evaluator.take_error());
  return QueryResult{std::move(value), evaluator.annotations().warnings(), evaluator.annotations().infos()};
}

std::optional<QueryError> beyond_all_time(Timestamp start, Timestamp end, Timestamp step) {
  if (start >= -time_limit && end <= time_limit && step <= time_limit) return std::nullopt;
  return QueryError{QueryError::Kind::execution, "the time of the query is beyond the end of all times", {}};
}

}  // namespace

std::chrono::nanoseconds thread_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::expected<QueryResult, QueryError> instant_query(const Expression& expression, std::string_view query,
                                                     const SeriesStore& store, Timestamp time,
                                                     const EngineOptions& options) {
  if (auto wrong = beyond_all_time(time, time, 0)) return std::unexpected(*std::move(wrong));
  Evaluator evaluator(query, store, options, time, time);
  Value value;
  value.type = expression.type;
  value.time = time;
  switch (expression.type) {
    case ValueType::none:
      break;
    case ValueType::scalar:
      value.scalar = evaluator.scalar(expression, time);
      break;
    case ValueType::string:
      value.string = Evaluator::string(expression);
      break;
    case ValueType::vector:
      value.vector = evaluator.vector(expression, time);
      if (!evaluator.failed()) evaluator.finish(value.vector);
      for (Sample& sample : value.vector) sample.time = time;
      break;
    case ValueType::matrix:
      value.matrix = evaluator.matrix(expression, time);
      break;
  }
  return finished(evaluator, std::move(value));
}

std::expected<QueryResult, QueryError> range_query(const Expression& expression, std::string_view query,
                                                   const SeriesStore& store, Timestamp start, Timestamp end,
                                                   Timestamp step, const EngineOptions& options) {
  if (step <= 0)
    return std::unexpected(
        QueryError{QueryError::Kind::execution, "the step of a range query must be positive", {}});
  if (expression.type != ValueType::scalar && expression.type != ValueType::vector) {
    return std::unexpected(QueryError{QueryError::Kind::execution,
                                      "invalid expression type \"" +
                                          std::string(documented(expression.type)) +
                                          "\" for range query, must be Scalar or instant Vector",
                                      {}});
  }
  if (auto wrong = beyond_all_time(start, end, step)) return std::unexpected(*std::move(wrong));
  Evaluator evaluator(query, store, options, start, end);
  Value value;
  value.type = ValueType::matrix;
  std::unordered_map<Metric, std::size_t, MetricHash> index;
  for (Timestamp time = start; time <= end && !evaluator.failed(); time += step) {
    evaluator.begin_step();
    Vector samples;
    if (expression.type == ValueType::scalar) {
      samples.push_back({Metric(), evaluator.scalar(expression, time), time, false});
    } else {
      samples = evaluator.vector(expression, time);
      if (!evaluator.failed()) evaluator.finish(samples);
    }
    if (evaluator.failed() || !evaluator.keep(samples.size())) break;
    for (Sample& sample : samples) {
      const auto [found, is_new] = index.try_emplace(sample.metric, value.matrix.size());
      if (is_new) {
        if (!evaluator.keep_series(sample.metric)) break;
        value.matrix.push_back({std::move(sample.metric), {}});
      }
      value.matrix[found->second].points.push_back({time, sample.value});
    }
  }
  if (evaluator.failed()) return std::unexpected(evaluator.take_error());
  std::ranges::sort(value.matrix,
                    [](const SeriesResult& a, const SeriesResult& b) { return a.metric < b.metric; });
  return finished(evaluator, std::move(value));
}

}  // namespace fairway::promql
