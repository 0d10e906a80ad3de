// SPDX-License-Identifier: Apache-2.0

#include "cli/risk/risk_explain.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cli/graph/graph_inputs.h"
#include "cli/promql/series_files.h"
#include "cli/risk/explain_report.h"
#include "cli/risk/risk_options.h"
#include "command_line/terminal.h"
#include "promql/engine/result_reader.h"
#include "risk/condition.h"
#include "risk/evaluators/fixed_series.h"
#include "risk/throttle.h"

namespace fairway::cli {

namespace {

struct RiskExplainOptions {
  std::string name, output;
  RiskSource source;
  PrometheusFlags prometheus;
  SeriesInputs series;
  std::vector<std::string> limits;
};

/// Metrics over which queries are evaluated, all at one time.
class Metrics {
 public:
  virtual ~Metrics() = default;
  virtual std::expected<promql::Value, std::string> evaluate(const promql::Expression& part,
                                                             const std::string& text,
                                                             promql::Dialect dialect) = 0;
  /// Returns the verdict on a whole question, whose result is `whole`.
  virtual risk::Answer judge(const risk::Question& question, const risk::Branch& whole) = 0;
};

/// --prometheus: evaluates each part at the same time as the whole query.
class OnPrometheus final : public Metrics {
 public:
  static Result<std::unique_ptr<OnPrometheus>> create(const PrometheusFlags& flags) {
    auto made = std::unique_ptr<OnPrometheus>(new OnPrometheus);
    auto api = make_prometheus_api(flags);
    if (!api) return fail(api.error());
    made->api_ = *std::move(api);
    return made;
  }

  Result<promql::Timestamp> begin() {
    const auto reply = api_->query("time()", {});
    if (!reply)
      return fail(ErrorCode::unavailable, "asking Prometheus for its time: " + reply.error().message);
    const json::Value* result = json::find(reply->data, "result");
    if (result == nullptr) return fail(ErrorCode::unavailable, "asking Prometheus for its time: no result");
    const auto point = promql::read_point(*result);
    if (!point) return fail(point.error().within("asking Prometheus for its time"));
    time_ = point->time;
    return time_;
  }
  std::string name() const { return api_->name(); }

  std::expected<promql::Value, std::string> evaluate(const promql::Expression&, const std::string& text,
                                                     promql::Dialect) override {
    constexpr std::size_t largest_answer = std::size_t{64} << 20;
    const auto answer = api_->ask(text, {.at = time_}, {}, largest_answer);
    if (!answer) return std::unexpected(answer.error().message);
    auto result = promql::read_result(*answer);
    if (!result) return std::unexpected(result.error().message);
    return std::move(result->value);
  }

  risk::Answer judge(const risk::Question&, const risk::Branch& whole) override {
    if (!whole.error.empty()) return risk::Answer::failure("executing PromQL query: " + whole.error);
    return risk::judge(whole.value);
  }

 private:
  OnPrometheus() = default;
  std::unique_ptr<risk::PrometheusApi> api_;
  promql::Timestamp time_ = 0;
};

/// --series: the verdict on the whole is that of `fairway risk check --series`.
class OnSeries final : public Metrics {
 public:
  explicit OnSeries(LoadedSeries series)
      : series_(std::move(series)),
        dialect_(dialect_over(series_, "")),
        evaluator_(series_.store, series_.time, Clock::system(), engine_of(dialect_), risk::CpuLimits{},
                   dialect_.source) {}

  std::expected<promql::Value, std::string> evaluate(const promql::Expression& part, const std::string& text,
                                                     promql::Dialect dialect) override {
    constexpr std::chrono::seconds deadline{30};
    promql::EngineOptions engine = risk::evaluation_limits();
    // Parts are shown as the query was parsed; what only one Prometheus can parse the verdict says.
    engine.dialect = dialect_.source == risk::DialectSource::known ? dialect_.dialect : dialect;
    engine.clock = &Clock::system();
    engine.deadline = engine.clock->steady() + deadline;
    auto result = promql::instant_query(part, text, series_.store, series_.time, engine);
    if (!result) return std::unexpected(std::move(result.error().message));
    return std::move(result->value);
  }

  risk::Answer judge(const risk::Question& question, const risk::Branch&) override {
    evaluator_.begin_round();
    const std::vector<const risk::Question*> due{&question};
    const auto answers = evaluator_.evaluate(due, {}, {});
    return answers.front().value_or(risk::Answer::failure("it was not evaluated"));
  }

 private:
  static promql::EngineOptions engine_of(const SeriesDialect& dialect) {
    promql::EngineOptions engine = risk::evaluation_limits();
    engine.dialect = dialect.dialect;
    return engine;
  }

  const LoadedSeries series_;
  const SeriesDialect dialect_;
  risk::FixedSeries evaluator_;
};

std::string type_of(const json::Value& rule) {
  return std::string(json::find_string(rule, "type").value_or(""));
}

ExplainedRule explain_rule(const json::Value& rule, const risk::Registry& registry, bool decided,
                           Metrics& metrics) {
  ExplainedRule explained;
  explained.type = type_of(rule);
  const auto condition = risk::read_rule(registry, rule);
  if (!condition) {
    explained.skipped = condition.error().message;
    return explained;
  }
  if (const auto* question = std::get_if<risk::QuestionPointer>(&*condition)) {
    const risk::Question& asked = **question;
    explained.query = asked.query;
    explained.explanation =
        risk::explain(asked, [&](const promql::Expression& part, const std::string& text) {
          return metrics.evaluate(part, text, asked.dialect);
        });
    if (!decided) explained.answer = metrics.judge(asked, explained.explanation.branches.front());
  } else if (const auto* answer = std::get_if<risk::Answer>(&*condition); answer != nullptr && !decided) {
    explained.answer = *answer;
  }
  return explained;
}

ExplainedRisk explain_risk(PublishedRisk published, const risk::Registry& registry, Metrics& metrics) {
  ExplainedRisk explained{std::move(published), risk::Outcome::failed, {}};
  bool decided = explained.published.risk.matching_rules.empty();
  // A risk without rules matches all clusters.
  if (decided) explained.outcome = risk::Outcome::matches;
  for (const json::Value& rule : explained.published.risk.matching_rules) {
    explained.rules.push_back(explain_rule(rule, registry, decided, metrics));
    const auto& answer = explained.rules.back().answer;
    if (decided || !answer || answer->outcome == risk::Outcome::failed) continue;
    explained.outcome = answer->outcome;
    decided = true;
  }
  return explained;
}

/// Returns the risks of this name; the Error lists the existing names.
Result<std::vector<PublishedRisk>> find_risks(const RiskExplainOptions& options) {
  auto all = load_risks(options.source);
  if (!all) return fail(all.error());
  std::vector<std::string> names;
  for (const PublishedRisk& published : *all) {
    const std::string name = printable(published.risk.name);
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  std::erase_if(*all, [&](const PublishedRisk& one) { return one.risk.name != options.name; });
  if (!all->empty()) return all;
  const std::string missing = "there is no risk '" + printable(options.name) + "'";
  if (const std::string near = nearest(options.name, names); !near.empty())
    return fail(ErrorCode::not_found, missing + "; did you mean " + near + "?");
  constexpr std::size_t shown = 20;
  if (names.size() > shown) {
    const std::size_t more = names.size() - shown;
    names.resize(shown);
    names.push_back("and " + std::to_string(more) + " more");
  }
  return fail(ErrorCode::not_found, missing + "; there are: " + (names.empty() ? "none" : join(names, ", ")));
}

int explain(const RiskExplainOptions& options) {
  if (const auto fault = fault_of(options.source)) return report(*fault, exit_usage);
  if (options.prometheus.url.empty() == options.series.files.empty()) {
    return report({ErrorCode::invalid,
                   "over what are the rules to be evaluated? Give --prometheus URL, or --series FILE"},
                  exit_usage);
  }
  if (!options.series.time.empty() && options.series.files.empty())
    return report({ErrorCode::invalid, "--time is for --series: Prometheus is asked about the present"},
                  exit_usage);
  const auto limits = read_limits(options.limits);
  if (!limits) return report(limits.error(), exit_usage);
  const auto time = parse_query_time(options.series.time);
  if (!time) return report(time.error(), exit_usage);
  auto risks = find_risks(options);
  if (!risks) return report(risks.error());

  ExplainReport explained;
  std::unique_ptr<Metrics> metrics;
  if (options.series.files.empty()) {
    auto server = OnPrometheus::create(options.prometheus);
    if (!server) return report(server.error(), exit_usage);
    const auto now = (*server)->begin();
    if (!now) return report(now.error());
    explained.time = time_text(*now);
    explained.source = "by " + printable((*server)->name(), 1000);
    explained.next = Clock::system().now() + risk::PollingRules{}.between_same;
    metrics = *std::move(server);
  } else {
    auto series = load_series(options.series.files, *time);
    if (!series) return report(series.error());
    explained.time = time_text(series->time);
    explained.source = "over " + printable(join(options.series.files, ", "), 1000);
    metrics = std::make_unique<OnSeries>(*std::move(series));
  }
  const risk::Registry registry = risk::standard_registry(*limits);
  for (PublishedRisk& published : *risks)
    explained.risks.push_back(explain_risk(std::move(published), registry, *metrics));
  print(options.output == "json" ? as_json(explained) : as_table(explained));
  return exit_ok;
}

}  // namespace

void add_risk_explain(CLI::App& risk, Context& context) {
  auto options = std::make_shared<RiskExplainOptions>();
  CLI::App* command = add_command(
      risk, context, "explain", "Say why a risk matches a cluster or does not: each part of its queries",
      "fairway risk explain VSphereHW14CrossNodeNetworkingError --graph-data examples/graph-data --series "
      "examples/metrics.txt",
      [options] { return explain(*options); });
  command->add_option("RISK", options->name, "The name of the risk")->type_name("")->required();
  add_output_option(*command, options->output, {"table", "json"});
  add_risk_source(*command, options->source);
  add_series_inputs(*command, options->series);
  add_prometheus_flags(*command, options->prometheus);
  add_limit_flags(*command, options->limits);
}

}  // namespace fairway::cli
