#include "risk/evaluators/fixed_series.h"

#include <chrono>
#include <utility>

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
  for (const Question* question : due) {
    outside_window_.merge(promql::metrics_outside_window(
        *question->expression, series_, {time_, time_, promql::reach_of(question->cost), engine_.lookback}));
  }
  return evaluate_fairly(
      due, *shares_, seen_,
      [&](std::size_t number, std::chrono::nanoseconds until) -> std::expected<Answer, promql::QueryError> {
        constexpr std::chrono::milliseconds deadline = std::chrono::seconds(30);
        promql::EngineOptions engine = engine_;
        engine.clock = &clock_;
        engine.deadline = clock_.steady() + deadline;
        engine.cpu_until = until;
        engine.cpu_time = shares_->limits().time;
        engine.stop = stop;
        return try_evaluate_on(series_, *due[number], time_, engine);
      });
}

}  // namespace fairway::risk
