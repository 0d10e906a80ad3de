// SPDX-License-Identifier: Apache-2.0

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

/// The source of the dialect by whose rules queries over series are evaluated.
enum class DialectSource {
  assumed,  ///< `EngineOptions::dialect`; a query that only the other one can parse is evaluated in that one
  known,    ///< `EngineOptions::dialect`: a query that it cannot parse fails, as on that Prometheus
  unknown,  ///< a capture that does not state it: a question fails if the two give different results
};

/// Answers from given series, at one fixed time. Like LocalEvaluator it never answers "does not match" on
/// incomplete data: no series, a query that looks back further than there are samples, or metrics with
/// samples only outside its time range. A capture (risk/evaluators/capture.h) says what it contains, so the
/// answer counts if all metrics of the query were captured for as long as it looks back.
class FixedSeries final : public Evaluator {
 public:
  /// Creates an evaluator. The series and the clock (of the evaluation deadline) must outlive it.
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

  /// Returns the reason why a result of 0 would not prove that the cluster is not exposed; empty if it would.
  std::string doubt_of_zero(const Question& question);

  /// Returns the metrics that questions name and that have samples, but none in the questions' time range,
  /// with the time of the latest: probably the evaluation time is wrong.
  const std::map<std::string, promql::Timestamp>& outside_window() const { return outside_window_; }

 private:
  /// Returns the metrics of the question that have samples, but none in its time range.
  std::map<std::string, promql::Timestamp> outside_of(const Question& question) const;
  /// Returns the failure if an answer "does not match" would prove nothing; std::nullopt if it would prove
  /// it.
  std::optional<Answer> doubt(const Question& question,
                              const std::map<std::string, promql::Timestamp>& outside);
  std::expected<Answer, promql::QueryError> answer(const Question& question, std::chrono::nanoseconds until,
                                                   std::stop_token stop);
  using Evaluated = std::expected<Answer, promql::QueryError>;
  /// Evaluates by the rules that apply to these series.
  Evaluated evaluate_by_dialect(const Question& question, const promql::EngineOptions& engine) const;
  /// Evaluates by the rules of one dialect, which must be able to parse the query.
  Evaluated evaluate_as(promql::Dialect dialect, const Question& question,
                        promql::EngineOptions engine) const;
  /// Returns the age of the oldest samples.
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
