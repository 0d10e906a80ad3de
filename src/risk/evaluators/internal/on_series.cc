#include "risk/evaluators/internal/on_series.h"

#include <chrono>
#include <utility>

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
    case promql::QueryError::Kind::too_costly:
      break;
  }
  return "execution";
}

Answer failure_of(const promql::QueryError& error) {
  return Answer::failure("executing PromQL query: " + std::string(kind_of(error)) + ": " + error.message);
}

}  // namespace

std::expected<Answer, promql::QueryError> try_evaluate_on(const promql::SeriesStore& series,
                                                          const Question& question, promql::Timestamp time,
                                                          const promql::EngineOptions& options) {
  using Kind = promql::QueryError::Kind;
  promql::EngineOptions engine = options;
  // What only Prometheus 2 understands cannot be meant for 3.
  if (question.dialect == promql::Dialect::prometheus2) engine.dialect = promql::Dialect::prometheus2;
  auto result = promql::instant_query(*question.expression, question.query, series, time, engine);
  if (result) return judge(result->value);
  const Kind kind = result.error().kind;
  // What costs too much here would cost too much elsewhere.
  if (kind == Kind::execution || kind == Kind::cancelled || kind == Kind::too_costly)
    return failure_of(result.error());
  return std::unexpected(std::move(result.error()));
}

Answer evaluate_on(const promql::SeriesStore& series, const Question& question, promql::Timestamp time,
                   const promql::EngineOptions& options) {
  auto answer = try_evaluate_on(series, question, time, options);
  return answer ? *std::move(answer) : failure_of(answer.error());
}

promql::Timestamp timestamp_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace fairway::risk
