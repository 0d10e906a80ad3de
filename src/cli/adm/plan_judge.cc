// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/plan_judge.h"

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
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

/// A verdict, and the time at which it was found.
struct Kept {
  adm::JudgedRisk verdict = {};
  SteadyTime at = {};
};

}  // namespace

struct PlanJudge::Implementation {
  std::string name = "the operator";
  LoadedSeries series = {};
  /// Null: the operator's verdicts are taken.
  std::unique_ptr<risk::Evaluator> evaluator = {};
  risk::Registry registry = {};
  /// Made for each plan, so that what failed is asked for again.
  std::unique_ptr<risk::Rounds> rounds = {};
  /// Verdicts on the risks of a cluster at a release, by the bodies of the risks; those of another release
  /// are asked for anew.
  std::unordered_map<std::string, Kept> kept = {};
  std::string release = {};

  std::vector<adm::JudgedRisk> judge(const std::vector<const graph::Risk*>& risks,
                                     const std::stop_token& stop, std::chrono::seconds limit);
};

/// Judges risks: those without a kept verdict by queries.
std::vector<adm::JudgedRisk> PlanJudge::Implementation::judge(const std::vector<const graph::Risk*>& risks,
                                                              const std::stop_token& stop,
                                                              std::chrono::seconds limit) {
  std::vector<adm::JudgedRisk> verdicts(risks.size());
  risk::ConditionalUpdate asked;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < risks.size(); ++i) {
    const auto known = kept.find(risks[i]->body());
    if (known != kept.end()) {
      verdicts[i] = known->second.verdict;
      continue;
    }
    asked.risks.push_back(*risks[i]);
    places.push_back(i);
  }
  if (places.empty()) return verdicts;
  const auto judged = rounds->run(std::span(&asked, 1), stop);
  for (std::size_t i = 0; i < places.size(); ++i) {
    adm::JudgedRisk& verdict = verdicts[places[i]];
    if (!judged) {
      verdict.reason = no_answer_within(limit) + " that the queries of a plan have in all";
      continue;
    }
    verdict = verdict_of(asked.risks[i], judged->front().risks[i]);
    if (verdict.state != adm::RiskState::unknown)
      kept.emplace(asked.risks[i].body(), Kept{verdict, Clock::system().steady()});
  }
  return verdicts;
}

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
    return [known = adm::OperatorVerdicts(cluster)](const std::vector<const graph::Risk*>& risks) {
      std::vector<adm::JudgedRisk> verdicts;
      for (const graph::Risk* risk : risks) verdicts.push_back(known.judge(*risk));
      return verdicts;
    };
  }
  // Queries need not wait for one another.
  Implementation& own = *implementation_;
  const risk::PollingRules rules{
      .between_any = {}, .between_same = risk::PollingRules{}.between_same, .unused = {}};
  const SteadyTime now = Clock::system().steady();
  if (std::exchange(own.release, cluster.desired().version()) != cluster.desired().version())
    own.kept.clear();
  std::erase_if(own.kept, [&](const auto& one) { return now - one.second.at >= rules.between_same; });
  own.rounds = std::make_unique<risk::Rounds>(own.registry, *own.evaluator, rules, Clock::system());
  const auto time = std::make_shared<TimeLimit>(now + limit, stop);
  return [&own, time, limit](const std::vector<const graph::Risk*>& risks) {
    return own.judge(risks, time->token(), limit);
  };
}

}  // namespace fairway::cli
