// SPDX-License-Identifier: Apache-2.0

#include "risk/internal/evaluators/on_series.h"

#include <chrono>
#include <utility>

namespace fairway::risk {

namespace {

/// Returns the name of an error's type in Prometheus's API.
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

}  // namespace

Answer failure_of(const promql::QueryError& error) {
  return Answer::failure("executing PromQL query: " + std::string(kind_of(error)) + ": " + error.message);
}

std::expected<Answer, promql::QueryError> try_evaluate_on(const promql::SeriesStore& series,
                                                          const Question& question, promql::Timestamp time,
                                                          const promql::EngineOptions& options) {
  using Kind = promql::QueryError::Kind;
  promql::EngineOptions engine = options;
  // A query that only Prometheus 2 understands cannot be meant for Prometheus 3.
  if (question.dialect == promql::Dialect::prometheus2) engine.dialect = promql::Dialect::prometheus2;
  auto result = promql::instant_query(*question.expression, question.query, series, time, engine);
  if (result) return judge(result->value);
  const Kind kind = result.error().kind;
  if (kind == Kind::execution || kind == Kind::cancelled) return failure_of(result.error());
  return std::unexpected(std::move(result.error()));
}

Answer not_sure(const std::string& why) {
  Answer answer = Answer::failure("the PromQL result is 0, but not for sure: " + why);
  answer.value = 0;
  return answer;
}

Answer held_too_short(std::chrono::milliseconds reach, std::chrono::nanoseconds held) {
  return not_sure("the query looks back " + format_duration(reach) + ", and there are samples of " +
                  format_duration(std::chrono::floor<std::chrono::seconds>(held)));
}

Answer earlier_samples_missing() {
  return Answer::failure(
      "a query with a time of its own (@) cannot be evaluated without Prometheus: earlier samples are not "
      "kept");
}

std::vector<std::optional<Answer>> evaluate_fairly(
    std::span<const Question* const> due, CpuShares& shares,
    const std::shared_ptr<const promql::SeriesSeen>& seen,
    const std::function<std::expected<Answer, promql::QueryError>(std::size_t, std::chrono::nanoseconds)>&
        evaluate) {
  std::vector<std::optional<Answer>> answers(due.size());
  std::vector<PricedQuestion> priced;
  for (std::size_t i = 0; i < due.size(); ++i) {
    const promql::Cost cost = cost_by(*due[i], seen);
    if (const std::string exceeded = refusal_by(*due[i], cost); !exceeded.empty()) {
      answers[i] = too_costly(exceeded);
    } else {
      priced.push_back({i, cost.work});
    }
  }
  const auto unfinished =
      shares.run(std::move(priced), [&](std::size_t number, std::chrono::nanoseconds until) {
        auto answer = evaluate(number, until);
        if (answer) {
          answers[number] = *std::move(answer);
          return true;
        }
        if (answer.error().kind == promql::QueryError::Kind::too_costly && shares.is_over(until))
          return false;
        answers[number] = failure_of(answer.error());
        return true;
      });
  for (const std::size_t number : unfinished) answers[number] = out_of_cpu(shares.limits());
  return answers;
}

promql::Timestamp timestamp_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace fairway::risk
