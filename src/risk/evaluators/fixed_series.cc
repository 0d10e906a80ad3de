#include "risk/evaluators/fixed_series.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "promql/guard/query_window.h"
#include "risk/evaluators/internal/cpu_shares.h"
#include "risk/evaluators/internal/on_series.h"

namespace fairway::risk {

FixedSeries::FixedSeries(const promql::SeriesStore& series, promql::Timestamp time, Clock& clock,
                         const promql::EngineOptions& engine, const CpuLimits& cpu)
    : series_(series),
      time_(time),
      clock_(clock),
      engine_(engine),
      shares_(std::make_unique<CpuShares>(cpu)),
      seen_(std::make_shared<promql::SeriesSeen>()) {}

FixedSeries::~FixedSeries() = default;

void FixedSeries::begin_round() {
  shares_->begin_round();
}

std::vector<std::optional<Answer>> FixedSeries::evaluate(std::span<const Question* const> due,
                                                         std::span<const Question* const>,
                                                         std::stop_token stop) {
  series_.count_metrics([&](std::string_view metric, std::size_t count) { seen_->note(metric, count); });
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

std::expected<Answer, promql::QueryError> FixedSeries::answer(const Question& question,
                                                              std::chrono::nanoseconds until,
                                                              std::stop_token stop) {
  constexpr std::chrono::milliseconds deadline = std::chrono::seconds(30);
  const std::chrono::milliseconds reach = promql::reach_of(question.cost);
  const auto outside =
      promql::metrics_outside_window(*question.expression, series_, {time_, time_, reach, engine_.lookback});
  outside_window_.insert(outside.begin(), outside.end());
  promql::EngineOptions engine = engine_;
  engine.clock = &clock_;
  engine.deadline = clock_.steady() + deadline;
  engine.cpu_until = until;
  engine.cpu_time = shares_->limits().time;
  engine.stop = std::move(stop);
  auto answer = try_evaluate_on(series_, question, time_, engine);
  if (!answer || answer->outcome != Outcome::does_not_match) return answer;
  if (series_.point_count() == 0) return not_sure("there are no samples");
  if (!outside.empty()) {
    return not_sure("samples of " + printable(outside.begin()->first) +
                    " are of times at which the query does not look");
  }
  if (promql::has_fixed_time(*question.expression)) return earlier_samples_missing();
  return held() < reach ? held_too_short(reach, held()) : answer;
}

}  // namespace fairway::risk
