// The evaluator for series in a file: `fairway risk check --series`.
#pragma once

#include <chrono>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "promql/engine/engine.h"
#include "promql/engine/series.h"
#include "risk/evaluator.h"

namespace fairway::risk {

class Captured;
class CpuShares;

/// How it is known by which rules queries over series are to be evaluated.
enum class DialectSource {
  assumed,  ///< `EngineOptions::dialect`; a query that only the other one can parse is one of that
  known,    ///< `EngineOptions::dialect`: a query that it cannot parse fails, as on that Prometheus
  unknown,  ///< a capture that does not say: where the two give different results, a question fails
};

/// Answers from given series, at one fixed time. Like LocalEvaluator it never answers "does not match" on
/// incomplete data: no series, a query that looks back further than there are samples, or metrics with
/// samples only outside its time range. Of a capture (risk/evaluators/capture.h) is known what it has, so
/// there the answer counts if all metrics of the query were captured for as long as it looks back.
class FixedSeries final : public Evaluator {
 public:
  /// The series and the clock (of the evaluation deadline) must outlive it.
  FixedSeries(const promql::SeriesStore& series, promql::Timestamp time, Clock& clock,
              const promql::EngineOptions& engine = evaluation_limits(), const CpuLimits& cpu = {},
              DialectSource dialect = DialectSource::assumed);
  ~FixedSeries() override;

  std::string_view name() const override { return "local"; }
  bool evaluates_batches() const override { return true; }
  void begin_round() override;
  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const> early,
                                              std::stop_token stop) override;

  /// Why a result of 0 would be no proof that the cluster is not exposed; empty where it is one.
  std::string doubt_of_zero(const Question& question);

  /// Metrics that questions name and that have samples, but none in the questions' time range, with the time
  /// of the latest: probably the evaluation time is wrong.
  const std::map<std::string, promql::Timestamp>& outside_window() const { return outside_window_; }

 private:
  /// Metrics of the question that have samples, but none in its time range.
  std::map<std::string, promql::Timestamp> outside_of(const Question& question) const;
  /// Why an answer "does not match" would be no proof; nothing where it is one.
  std::optional<Answer> doubt(const Question& question,
                              const std::map<std::string, promql::Timestamp>& outside);
  std::expected<Answer, promql::QueryError> answer(const Question& question, std::chrono::nanoseconds until,
                                                   std::stop_token stop);
  using Evaluated = std::expected<Answer, promql::QueryError>;
  /// By the rules that count for these series.
  Evaluated evaluate_by_dialect(const Question& question, const promql::EngineOptions& engine) const;
  /// By those of one dialect, which has to be able to parse the query.
  Evaluated evaluate_as(promql::Dialect dialect, const Question& question,
                        promql::EngineOptions engine) const;
  /// How far back there are samples.
  std::chrono::milliseconds held();

  const promql::SeriesStore& series_;
  promql::Timestamp time_;
  Clock& clock_;
  promql::EngineOptions engine_;
  DialectSource dialect_;
  std::unique_ptr<CpuShares> shares_;
  std::unique_ptr<const Captured> captured_;
  std::shared_ptr<promql::SeriesSeen> seen_;
  std::map<std::string, promql::Timestamp> outside_window_;
  std::optional<std::chrono::milliseconds> held_;
};

}  // namespace fairway::risk
