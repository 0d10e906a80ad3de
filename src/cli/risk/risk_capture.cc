// SPDX-License-Identifier: Apache-2.0

#include "cli/risk/risk_capture.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/named_file.h"
#include "base/text.h"
#include "cli/promql/promql.h"
#include "cli/promql/series_files.h"
#include "cli/risk/published_risks.h"
#include "cli/risk/risk_options.h"
#include "command_line/stop_signals.h"
#include "command_line/terminal.h"
#include "risk/condition.h"
#include "risk/evaluators/capture.h"

namespace fairway::cli {

namespace {

struct RiskCaptureOptions {
  RiskSource source;
  std::vector<std::string> queries, limits;
  PrometheusFlags prometheus;
  std::string file;
};

/// The questions of the rules, each once. Rules that do not query metrics are left out.
class Questions {
 public:
  explicit Questions(const promql::CostLimits& limits) : registry_(risk::standard_registry(limits)) {}

  /// Adds the question of a rule. An Error: the reason why nothing can be captured for it.
  Result<void> add(const std::string& whose, const json::Value& rule) {
    const auto read = risk::read_rule(registry_, rule);
    if (!read) return fail(ErrorCode::invalid, whose + ": " + read.error().message);
    if (const auto* answer = std::get_if<risk::Answer>(&*read);
        answer != nullptr && answer->outcome == risk::Outcome::failed)
      return fail(ErrorCode::invalid, whose + ": " + answer->error);
    const auto* question = std::get_if<risk::QuestionPointer>(&*read);
    if (question != nullptr && known_.insert((*question)->key).second) questions_.push_back(*question);
    return {};
  }

  const std::vector<risk::QuestionPointer>& all() const { return questions_; }

 private:
  risk::Registry registry_;
  std::set<std::string, std::less<>> known_;
  std::vector<risk::QuestionPointer> questions_;
};

json::Value rule_of(const std::string& query) {
  return json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", query}}}};
}

Result<void> add_published(const RiskSource& source, Questions& questions) {
  const auto risks = load_risks(source);
  if (!risks) return fail(risks.error());
  for (const PublishedRisk& published : *risks) {
    for (const json::Value& rule : published.risk.matching_rules) {
      // Clusters refuse it, too.
      if (auto added = questions.add("the risk " + printable(published.risk.name, 200), rule); !added)
        command_line::warn(added.error().message);
    }
  }
  return {};
}

std::string summary_of(const risk::Capture& capture, std::size_t queries, const std::string& file) {
  std::string text = command_line::count(capture.metrics, "metric") + " of " + std::to_string(queries) +
                     (queries == 1 ? " query" : " queries") + " at " + time_text(capture.time) + ": " +
                     std::to_string(capture.series) + " series, " +
                     command_line::count(capture.samples, "sample") + ", in " + printable(file, 1000) + "\n";
  if (!capture.absent.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : capture.absent) names.push_back(printable(name, 200));
    text += command_line::paragraph("Without series: " + join(names, ", "), 0);
  }
  return text;
}

int capture(const RiskCaptureOptions& options) {
  const bool published = !options.source.graph_data.empty() || !options.source.graph_file.empty() ||
                         !options.source.upstream.empty() || !options.source.channel.empty();
  if (published || options.queries.empty()) {
    if (const auto fault = fault_of(options.source)) return report(*fault, exit_usage);
  }
  const auto limits = read_limits(options.limits);
  if (!limits) return report(limits.error(), exit_usage);
  Questions questions(*limits);
  for (const std::string& argument : options.queries) {
    const auto query = read_query(argument);
    if (!query) return report(query.error());
    if (auto added = questions.add("--query", rule_of(query->text)); !added)
      return report(added.error(), exit_usage);
  }
  if (published) {
    if (auto added = add_published(options.source, questions); !added) return report(added.error());
  }
  if (questions.all().empty())
    return report({ErrorCode::not_found, "no rule asks for metrics: there is nothing to capture"});
  const auto api = make_prometheus_api(options.prometheus);
  if (!api) return report(api.error(), exit_usage);
  const StopSignals signals;
  const auto captured = risk::capture_series(**api, questions.all(), signals.token());
  if (!captured) return report(captured.error());
  for (const std::string& problem : captured->problems) command_line::warn(problem);
  // An earlier capture in that file is worth more than an empty one.
  if (captured->metrics == 0) {
    return report({ErrorCode::unavailable, "nothing was captured, and " + printable(options.file, 1000) +
                                               " is not written: see the warnings above"});
  }
  const std::string head = "# Captured at " + time_text(captured->time) + " from " +
                           printable((*api)->name(), 1000) +
                           " by `fairway risk capture`. `fairway risk check --series` reads it.\n";
  if (auto written = write_named_file(options.file, head + captured->text); !written)
    return report(written.error());
  print(summary_of(*captured, questions.all().size(), options.file));
  return captured->problems.empty() ? exit_ok : exit_failed;
}

}  // namespace

void add_risk_capture(CLI::App& risk, Context& context) {
  auto options = std::make_shared<RiskCaptureOptions>();
  CLI::App* command = add_command(
      risk, context, "capture", "Save the metrics that the published rules need, for risk check --series",
      "fairway risk capture --prometheus https://thanos.example.com --prometheus-token-file token "
      "--graph-data examples/graph-data -o metrics.txt",
      [options] { return capture(*options); });
  add_prometheus_flags(*command, options->prometheus)->required();
  command->add_option("-o,--output", options->file, "The file to write, in Prometheus's text format")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--query", options->queries,
                   "A query of nobody's yet, a file that holds one, or - for standard input (repeatable)")
      ->type_name("QUERY")
      ->allow_extra_args(false);
  add_risk_source(*command, options->source);
  add_limit_flags(*command, options->limits);
}

}  // namespace fairway::cli
