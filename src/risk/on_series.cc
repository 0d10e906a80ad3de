#include "risk/on_series.h"

#include <chrono>

namespace fairway::risk {

namespace {

/// As Prometheus's API names errors.
std::string_view kind_of(const promql::QueryError& error) {
  switch (error.kind) {
    case promql::QueryError::Kind::timeout:
      return "timeout";
    case promql::QueryError::Kind::cancelled:
      return "canceled";
    case promql::QueryError::Kind::execution:
    case promql::QueryError::Kind::limit:
    case promql::QueryError::Kind::unsupported:
      break;
  }
  return "execution";
}

}  // namespace

Answer evaluate_on(const promql::SeriesStore& series, const Question& question, promql::Timestamp time,
                   const promql::EngineOptions& options) {
  promql::EngineOptions engine = options;
  // What only Prometheus 2 understands cannot be meant for 3.
  if (question.dialect == promql::Dialect::prometheus2) engine.dialect = promql::Dialect::prometheus2;
  const auto result = promql::instant_query(*question.expression, question.query, series, time, engine);
  if (!result) {
    return Answer::failure("executing PromQL query: " + std::string(kind_of(result.error())) + ": " +
                           result.error().message);
  }
  return judge(result->value);
}

promql::Timestamp timestamp_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace fairway::risk
