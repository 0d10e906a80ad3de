// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/plan_judge.h"

#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/redact.h"
#include "cli/adm/served_channels.h"
#include "risk/evaluators/fixed_series.h"
#include "risk/rounds.h"

namespace fairway::cli {
namespace {

using openshift::ClusterVersion;

adm::JudgedRisk verdict_of(const graph::Risk& risk, const risk::RiskVerdict& verdict) {
  if (adm::JudgedRisk fixed = adm::judge_without_cluster(risk); fixed.is_fixed) return fixed;
  switch (verdict.outcome) {
    case risk::Outcome::matches:
      return {.state = adm::RiskState::applies};
    case risk::Outcome::does_not_match:
      return {.state = adm::RiskState::does_not_apply};
    case risk::Outcome::failed:
      break;
  }
  return {.reason = verdict.error};
}

}  // namespace

struct PlanJudge::Implementation {
  std::string name = "the operator";
  LoadedSeries series = {};
  /// Null: the operator's verdicts are taken.
  std::unique_ptr<risk::Evaluator> evaluator = {};
  risk::Registry registry = {};
  /// Verdicts on the risks of a cluster at a release; those of another release are asked for anew.
  std::unique_ptr<risk::Rounds> rounds = {};
  std::string release = {};
};

PlanJudge::PlanJudge(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
PlanJudge::PlanJudge(PlanJudge&&) noexcept = default;
PlanJudge& PlanJudge::operator=(PlanJudge&&) noexcept = default;
PlanJudge::~PlanJudge() = default;

const std::string& PlanJudge::name() const {
  return implementation_->name;
}

void add_plan_judge_flags(CLI::App& command, PlanJudgeFlags& flags) {
  add_prometheus_flags(command, flags.prometheus);
  add_series_inputs(command, flags.series);
  add_limit_flags(command, flags.limits);
}

Result<PlanJudge> PlanJudge::create(const PlanJudgeFlags& flags) {
  const bool has_series = !flags.series.files.empty();
  if (has_series && !flags.prometheus.url.empty()) {
    return fail(ErrorCode::invalid,
                "--prometheus and --series both say who judges the risks: leave one of them out");
  }
  if (flags.prometheus.url.empty() &&
      !(flags.prometheus.ca_files.empty() && flags.prometheus.token_file.empty())) {
    return fail(
        ErrorCode::invalid,
        "--prometheus-ca-file and --prometheus-token-file are for --prometheus URL: without it they do "
        "nothing");
  }
  if (!has_series && !flags.series.time.empty())
    return fail(ErrorCode::invalid, "--time is for --series: everybody else is asked about the present");
  auto limits = read_limits(flags.limits);
  if (!limits) return fail(limits.error());
  const auto seen = std::make_shared<promql::SeriesSeen>();
  limits->seen = seen;
  auto made = std::make_unique<Implementation>();
  made->registry = risk::standard_registry(*limits);
  if (has_series) {
    const auto time = parse_query_time(flags.series.time);
    if (!time) return fail(time.error());
    auto loaded = load_series(flags.series.files, *time);
    if (!loaded) return fail(loaded.error());
    made->series = *std::move(loaded);
    const SeriesDialect dialect = dialect_over(made->series, "");
    promql::EngineOptions engine = risk::evaluation_limits();
    engine.dialect = dialect.dialect;
    made->evaluator = std::make_unique<risk::FixedSeries>(
        made->series.store, made->series.time, Clock::system(), engine, risk::CpuLimits{}, dialect.source);
    made->name = "recorded series";
  } else if (!flags.prometheus.url.empty()) {
    auto evaluator = make_evaluator(flags.prometheus, {}, promql::Dialect::prometheus3, seen);
    if (!evaluator) return fail(evaluator.error());
    made->evaluator = *std::move(evaluator);
    made->name = "Prometheus at " + redact_urls(flags.prometheus.url);
  }
  return PlanJudge(std::move(made));
}

adm::JudgeRisks PlanJudge::begin(const ClusterVersion& cluster, const std::stop_token& stop,
                                 std::chrono::seconds limit) {
  if (implementation_->evaluator == nullptr) {
    return [&cluster](const std::vector<const graph::Risk*>& risks) {
      std::vector<adm::JudgedRisk> verdicts;
      for (const graph::Risk* risk : risks) verdicts.push_back(adm::judge_by_operator(*risk, cluster));
      return verdicts;
    };
  }
  // Queries need not wait for one another, and none is repeated within an hour, as in `risk check`.
  Implementation& own = *implementation_;
  if (own.rounds == nullptr || own.release != cluster.desired().version()) {
    const risk::PollingRules rules{
        .between_any = {}, .between_same = risk::PollingRules{}.between_same, .unused = {}};
    own.rounds = std::make_unique<risk::Rounds>(own.registry, *own.evaluator, rules, Clock::system());
    own.release = cluster.desired().version();
  }
  const auto time = std::make_shared<TimeLimit>(Clock::system().steady() + limit, stop);
  return [rounds = own.rounds.get(), time, limit](const std::vector<const graph::Risk*>& risks) {
    risk::ConditionalUpdate update;
    for (const graph::Risk* risk : risks) update.risks.push_back(*risk);
    const auto judged = rounds->run(std::span(&update, 1), time->token());
    std::vector<adm::JudgedRisk> verdicts;
    for (std::size_t i = 0; i < risks.size(); ++i) {
      verdicts.push_back(judged ? verdict_of(*risks[i], judged->front().risks[i])
                                : adm::JudgedRisk{.reason = no_answer_within(limit) +
                                                            " that the queries of a plan have in all"});
    }
    return verdicts;
  };
}

}  // namespace fairway::cli
