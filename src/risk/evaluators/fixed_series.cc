// SPDX-License-Identifier: Apache-2.0

#include "risk/evaluators/fixed_series.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "promql/guard/query_window.h"
#include "promql/parser/parser.h"
#include "risk/internal/evaluators/captured.h"
#include "risk/internal/evaluators/cpu_shares.h"
#include "risk/internal/evaluators/on_series.h"

namespace fairway::risk {

FixedSeries::FixedSeries(const promql::SeriesStore& series, promql::Timestamp time, Clock& clock,
                         const promql::EngineOptions& engine, const CpuLimits& cpu, DialectSource dialect)
    : series_(series),
      time_(time),
      clock_(clock),
      engine_(engine),
      dialect_(dialect),
      shares_(std::make_unique<CpuShares>(cpu)),
      captured_(std::make_unique<Captured>(series)),
      seen_(std::make_shared<promql::SeriesSeen>()) {}

FixedSeries::~FixedSeries() = default;

void FixedSeries::begin_round() {
  shares_->begin_round();
}

std::vector<std::optional<Answer>> FixedSeries::evaluate(std::span<const Question* const> due,
                                                         std::span<const Question* const>,
                                                         std::stop_token stop) {
  series_.count_metrics([&](std::string_view metric, std::size_t count) { seen_->record(metric, count); });
  return evaluate_fairly(due, *shares_, seen_, [&](std::size_t number, std::chrono::nanoseconds until) {
    return answer(*due[number], until, stop);
  });
}

std::chrono::milliseconds FixedSeries::held() {
  if (held_) return *held_;
  promql::Timestamp first = time_;
  for (const promql::Series* series : series_.select({})) {
    if (!series->points.empty()) first = std::min(first, series->points.front().time);
  }
  held_ = std::chrono::milliseconds(time_ - first);
  return *held_;
}

std::optional<Answer> FixedSeries::doubt(const Question& question,
                                         const std::map<std::string, promql::Timestamp>& outside) {
  if (captured_->empty() && series_.point_count() == 0) return not_sure("there are no samples");
  if (!outside.empty()) {
    return not_sure("samples of " + printable(outside.begin()->first) +
                    " are of times at which the query does not look");
  }
  if (promql::has_fixed_time(*question.expression)) return earlier_samples_missing();
  if (!captured_->empty()) {
    const std::string gap = captured_->gap_of(question, time_);
    return gap.empty() ? std::nullopt : std::optional(not_sure(gap));
  }
  const std::chrono::milliseconds reach = promql::reach_of(question.cost);
  return held() < reach ? std::optional(held_too_short(reach, held())) : std::nullopt;
}

std::map<std::string, promql::Timestamp> FixedSeries::outside_of(const Question& question) const {
  if (!captured_->empty()) return {};
  return promql::metrics_outside_window(*question.expression, series_,
                                        {time_, time_, promql::reach_of(question.cost), engine_.lookback});
}

std::string FixedSeries::doubt_of_zero(const Question& question) {
  const std::optional<Answer> unsure = doubt(question, outside_of(question));
  return unsure ? unsure->error : "";
}

FixedSeries::Evaluated FixedSeries::evaluate_as(promql::Dialect dialect, const Question& question,
                                                promql::EngineOptions engine) const {
  engine.dialect = dialect;
  if (question.dialect == dialect) return try_evaluate_on(series_, question, time_, engine);
  auto parsed = promql::parse(question.query, dialect);
  if (!parsed) {
    return Answer::failure("executing PromQL query: bad_data: invalid parameter \"query\": " +
                           promql::to_string(parsed.error(), question.query, dialect));
  }
  Question translated = question;
  translated.expression = *std::move(parsed);
  translated.dialect = dialect;
  return try_evaluate_on(series_, translated, time_, engine);
}

FixedSeries::Evaluated FixedSeries::evaluate_by_dialect(const Question& question,
                                                        const promql::EngineOptions& engine) const {
  if (dialect_ == DialectSource::assumed) return try_evaluate_on(series_, question, time_, engine);
  if (dialect_ == DialectSource::known) return evaluate_as(engine.dialect, question, engine);
  auto newer = evaluate_as(promql::Dialect::prometheus3, question, engine);
  if (!newer) return newer;
  const auto older = evaluate_as(promql::Dialect::prometheus2, question, engine);
  if (!older || older->outcome == newer->outcome) return older ? newer : older;
  const auto shown = [](const Answer& answer) {
    return answer.outcome == Outcome::failed ? printable(answer.error, 300)
                                             : std::string(to_string(answer.outcome));
  };
  return Answer::failure(
      "the capture does not say of which Prometheus it is, and the result depends on it: " + shown(*older) +
      " in Prometheus 2; " + shown(*newer) + " in Prometheus 3");
}

std::expected<Answer, promql::QueryError> FixedSeries::answer(const Question& question,
                                                              std::chrono::nanoseconds until,
                                                              std::stop_token stop) {
  constexpr std::chrono::milliseconds deadline = std::chrono::seconds(30);
  const std::map<std::string, promql::Timestamp> outside = outside_of(question);
  outside_window_.insert(outside.begin(), outside.end());
  promql::EngineOptions engine = engine_;
  engine.clock = &clock_;
  engine.deadline = clock_.steady() + deadline;
  engine.cpu_until = until;
  engine.cpu_time = shares_->limits().time;
  engine.stop = std::move(stop);
  auto answer = evaluate_by_dialect(question, engine);
  if (!answer || answer->outcome != Outcome::does_not_match) return answer;
  if (auto unsure = doubt(question, outside)) return *std::move(unsure);
  return answer;
}

}  // namespace fairway::risk
