// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/promql/promql.h"
#include "cli/promql/series_files.h"
#include "cli/risk/risk_capture.h"
#include "cli/risk/risk_explain.h"
#include "cli/risk/risk_options.h"
#include "cli/risk/risk_report.h"
#include "cli/risk/risk_status.h"
#include "cli/risk/risk_watch.h"
#include "command_line/stop_signals.h"
#include "command_line/terminal.h"
#include "graph/evaluated_graph.h"
#include "risk/available_updates.h"
#include "risk/evaluators/fixed_series.h"
#include "risk/evaluators/local.h"
#include "risk/rounds.h"
#include "upstream/read.h"
#include "upstream/update_service.h"

namespace fairway::cli {

namespace {

struct RiskOptions {
  GraphInputs inputs;
  std::string graph_file, upstream;
  std::string from, channel, output;
  PrometheusFlags prometheus;
  LocalFlags local;
  SeriesInputs series;
  std::string dialect = "3";
  const CLI::Option* dialect_flag = nullptr;
  std::vector<std::string> limits;
  std::string every;
  std::vector<std::string> fail_on;
  PollingFlags polling;
  std::vector<const CLI::Option*> polling_flags;
};

Error wrong(std::string message) {
  return {ErrorCode::invalid, std::move(message)};
}

/// Returns what is wrong with the flags of the evaluator.
std::optional<Error> fault_of_evaluator(const RiskOptions& options) {
  const bool local = options.prometheus.evaluator == "local";
  const bool sources = !options.local.files.empty() || !options.local.targets.empty();
  const bool prometheus = !options.prometheus.url.empty(), series = !options.series.files.empty();
  if (options.local.any() && !local)
    return wrong("--local-file, --local-target and their kin are for --risk-evaluator local");
  if (local && !sources)
    return wrong("--risk-evaluator local has nothing to read: give --local-file FILE or --local-target URL");
  if (static_cast<int>(local) + static_cast<int>(prometheus) + static_cast<int>(series) != 1) {
    return wrong(
        "who evaluates the risks? Give --prometheus URL, or --series FILE, or --risk-evaluator local with "
        "--local-file FILE or --local-target URL");
  }
  if (prometheus && options.dialect_flag->count() > 0) {
    return wrong(
        "--dialect is for series that are evaluated here; a Prometheus knows its own language, leave it out");
  }
  if (!prometheus && (options.prometheus.evaluator == "snapshot" || !options.prometheus.ca_files.empty() ||
                      !options.prometheus.token_file.empty())) {
    return wrong(
        "--risk-evaluator snapshot, --prometheus-ca-file and --prometheus-token-file are for --prometheus "
        "URL: "
        "without it they do nothing");
  }
  if (series && !options.every.empty())
    return wrong("--every is for what changes; what --series says stays as it is");
  if (local &&
      std::ranges::any_of(options.polling_flags, [](const CLI::Option* flag) { return flag->count() > 0; })) {
    return wrong("nobody is polled with --risk-evaluator local: leave the intervals of queries out");
  }
  if (!series && !options.series.time.empty())
    return wrong("--time is for --series: everybody else is asked about the present");
  return std::nullopt;
}

/// Returns what is wrong with the combination of the flags; std::nullopt: nothing.
std::optional<Error> fault_of(const RiskOptions& options) {
  const bool from_data = !options.inputs.graph_data.empty() || !options.inputs.releases.empty();
  const int graphs = static_cast<int>(from_data) + static_cast<int>(!options.graph_file.empty()) +
                     static_cast<int>(!options.upstream.empty());
  if (graphs != 1) {
    return wrong(
        "where do the updates come from? Give --graph-data with --releases, or --graph FILE, or --upstream "
        "URL");
  }
  if (from_data && (options.inputs.graph_data.empty() || options.inputs.releases.empty()))
    return wrong("--graph-data and --releases go together: one of them is missing");
  if (!options.fail_on.empty() && !options.every.empty())
    return wrong("--fail-on is for one evaluation; --every has no end");
  if (options.graph_file.empty() && options.channel.empty())
    return wrong("--channel is required, but with --graph, which is of one channel");
  return fault_of_evaluator(options);
}

/// Visibility of warnings: a graph that is loaded repeatedly is warned of only the first time.
enum class Warnings { shown, hidden };

void warn_of(const std::vector<graph::Problem>& problems, Warnings warnings) {
  if (warnings == Warnings::hidden) return;
  graph::Snapshot shown;
  shown.problems = problems;
  warn_of_problems(shown);
}

/// A graph, or the reason why there is none for this channel and architecture.
using FoundGraph = std::expected<graph::UpdateGraph, std::string>;

Result<FoundGraph> built_graph(const RiskOptions& options, Warnings warnings) {
  const auto snapshot = load_snapshot(options.inputs);
  if (!snapshot) return fail(snapshot.error());
  warn_of((*snapshot)->problems, warnings);
  auto known = require_channel(**snapshot, options.channel);
  if (known) known = require_architecture(**snapshot, options.inputs.arch);
  if (!known) return FoundGraph(std::unexpected(known.error().message));
  return (*snapshot)->channel_graph(options.channel, options.inputs.arch);
}

Result<FoundGraph> file_graph(const RiskOptions& options, Warnings warnings) {
  const auto text = read_file(options.graph_file);
  if (!text) return fail(text.error());
  auto read = graph::read_cincinnati_json(*text, options.graph_file, graph::RisksWithoutRules::keep);
  if (!read) return fail(read.error());
  warn_of(read->problems, warnings);
  return std::move(read->graph);
}

/// Requests the graph as a cluster of this channel and architecture would.
Result<FoundGraph> upstream_graph(const RiskOptions& options, Warnings warnings) {
  // All messages come back as problems and errors, and need not be logged.
  log::configure(log::Level::off, log::Format::text);
  // --scrape-deadline is about whole registries; one answer takes no longer than upstream's own limit.
  upstream::Options limits{.ca_files = options.inputs.sources.access.ca_files};
  limits.deadline = std::min(limits.deadline, options.inputs.sources.deadline);
  const auto service = upstream::UpdateService::create(options.upstream, limits);
  if (!service) return fail(service.error().within("reading --upstream"));
  const upstream::GraphQuery query{.channel = options.channel, .arch = options.inputs.arch};
  const auto body = service->fetch_graph(query);
  if (!body) return fail(body.error());
  if (!*body) return fail(ErrorCode::internal, "an answer to a first question says that nothing has changed");
  auto read = upstream::read_graph((*body)->text, (*body)->source, query.channel, query.arch,
                                   graph::RisksWithoutRules::keep);
  if (!read) return fail(read.error());
  warn_of(read->problems, warnings);
  return std::move(read->graph);
}

Result<FoundGraph> load_graph(const RiskOptions& options, Warnings warnings) {
  if (!options.graph_file.empty()) return file_graph(options, warnings);
  return options.upstream.empty() ? built_graph(options, warnings) : upstream_graph(options, warnings);
}

Result<risk::AvailableUpdates> load_updates(const RiskOptions& options, Warnings warnings) {
  const auto graph = load_graph(options, warnings);
  if (!graph) return fail(graph.error());
  if (!*graph) return fail(ErrorCode::not_found, graph->error());
  auto available = risk::available_updates(**graph, options.from, options.inputs.arch);
  if (!available) {
    return fail(
        available.error().within("looking for the updates of --from " + printable(options.from) +
                                 (options.channel.empty() ? "" : " in " + printable(options.channel))));
  }
  return available;
}

/// Loads the updates again for a watch: a graph without the release is not an error, and gives no updates.
Result<UpdatesNow> load_updates_again(const RiskOptions& options) {
  const auto graph = load_graph(options, Warnings::hidden);
  if (!graph) return fail(graph.error());
  if (!*graph) return UpdatesNow{{}, graph->error()};
  auto available = risk::available_updates(**graph, options.from, options.inputs.arch);
  if (available) return UpdatesNow{*std::move(available), ""};
  if (available.error().code != ErrorCode::not_found) return fail(available.error());
  return UpdatesNow{{},
                    printable(options.from) + " is no longer in the graph" +
                        (options.channel.empty() ? "" : " of " + printable(options.channel))};
}

/// Returns the errors of all risks that failed.
std::vector<std::string> failures_of(const std::vector<risk::UpdateVerdict>& verdicts) {
  std::vector<std::string> failures;
  for (const risk::UpdateVerdict& update : verdicts) {
    for (const risk::RiskVerdict& risk : update.risks) {
      if (risk.outcome == risk::Outcome::failed) failures.push_back(risk.error);
    }
  }
  return failures;
}

/// Evaluates the risks once. With a snapshot, risks that failed are evaluated again as long as that changes
/// the failures; answers are kept.
Result<std::vector<risk::UpdateVerdict>> judge_once(risk::Rounds& rounds, const RiskReport& found) {
  constexpr int most_rounds = 20;
  auto verdicts = rounds.run(found.available.updates);
  for (int round = 1; verdicts && found.evaluator == "snapshot" && round < most_rounds; ++round) {
    const std::vector<std::string> before = failures_of(*verdicts);
    if (before.empty()) break;
    verdicts = rounds.run(found.available.updates);
    if (verdicts && failures_of(*verdicts) == before) break;
  }
  return verdicts;
}

/// Returns the polling rules. For one round, or for the local evaluator, queries need not wait. In one round
/// an answered query is not repeated.
Result<risk::PollingRules> polling_rules(const RiskOptions& options, bool again_and_again) {
  if (!again_and_again) {
    return risk::PollingRules{
        .between_any = {}, .between_same = risk::PollingRules{}.between_same, .unused = {}};
  }
  if (options.prometheus.evaluator == "local")
    return risk::PollingRules{.between_any = {}, .between_same = {}};
  return read_polling_rules(options.polling);
}

/// Parses the time between two rounds; std::nullopt: there is only one.
Result<std::optional<std::chrono::nanoseconds>> read_every(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto every = parse_duration(text);
  if (!every) return fail(every.error().within("reading --every"));
  if (*every <= std::chrono::nanoseconds::zero())
    return fail(ErrorCode::invalid, "--every " + printable(text, 40) + " is too short");
  return *every;
}

/// Returns whether a risk of an update could not be decided, even if another one matches.
bool has_unknown(const risk::UpdateVerdict& update) {
  return update.recommended.status == risk::Status::unknown ||
         std::ranges::any_of(update.risks, [](const risk::RiskVerdict& risk) {
           return risk.outcome == risk::Outcome::failed;
         });
}

/// Returns whether an update has a property that --fail-on names.
bool fails(const std::vector<std::string>& fail_on, const std::vector<risk::UpdateVerdict>& verdicts) {
  const auto any = [&](const char* name, const auto& has) {
    return std::ranges::find(fail_on, name) != fail_on.end() && std::ranges::any_of(verdicts, has);
  };
  const auto is_exposed = [](const risk::UpdateVerdict& update) {
    return update.recommended.status == risk::Status::is_false;
  };
  return any("unknown", has_unknown) || any("exposed", is_exposed);
}

int check(const RiskOptions& options) {
  if (const auto fault = fault_of(options)) return report(*fault, exit_usage);
  auto limits = read_limits(options.limits);
  if (!limits) return report(limits.error(), exit_usage);
  const auto seen = std::make_shared<promql::SeriesSeen>();
  limits->seen = seen;
  const auto time = parse_query_time(options.series.time);
  if (!time) return report(time.error(), exit_usage);

  const auto every = read_every(options.every);
  if (!every) return report(every.error(), exit_usage);
  const auto rules = polling_rules(options, every->has_value());
  if (!rules) return report(rules.error(), exit_usage);
  std::optional<StopSignals> signals;
  if (*every) signals.emplace();

  LoadedSeries series;
  std::unique_ptr<risk::Evaluator> evaluator;
  const risk::FixedSeries* fixed = nullptr;
  if (!options.series.files.empty()) {
    auto loaded = load_series(options.series.files, *time);
    if (!loaded) return report(loaded.error());
    series = *std::move(loaded);
    const SeriesDialect dialect =
        dialect_over(series, options.dialect_flag->count() > 0 ? options.dialect : "");
    promql::EngineOptions engine = risk::evaluation_limits();
    engine.dialect = dialect.dialect;
    auto made = std::make_unique<risk::FixedSeries>(series.store, series.time, Clock::system(), engine,
                                                    risk::CpuLimits{}, dialect.source);
    fixed = made.get();
    evaluator = std::move(made);
  } else {
    LocalFlags local = options.local;
    local.interval = every->value_or(local.interval);
    auto made = make_evaluator(options.prometheus, local, dialect_of(options.dialect), seen);
    if (!made) return report(made.error(), exit_usage);
    evaluator = *std::move(made);
  }
  const auto* const local = dynamic_cast<const risk::LocalEvaluator*>(evaluator.get());

  auto available = load_updates(options, Warnings::shown);
  if (!available) return report(available.error());
  const risk::Registry registry = risk::standard_registry(*limits);
  risk::Rounds rounds(registry, *evaluator, *rules, Clock::system());
  const bool names_arch = options.graph_file.empty();
  std::string from = available->from;
  RiskReport found{std::move(from),
                   options.channel,
                   names_arch ? options.inputs.arch : "",
                   evaluator->name(),
                   *std::move(available),
                   {},
                   {}};
  if (*every) {
    return watch_risks(
        std::move(found), rounds, **every, options.output, [&] { return load_updates_again(options); },
        signals->token());
  }
  auto verdicts = judge_once(rounds, found);
  if (!verdicts) return report(verdicts.error());
  if (local != nullptr) {
    for (const std::string& problem : local->problems()) warn(problem);
  }
  if (fixed != nullptr) warn_of_times(fixed->outside_window(), series.time);
  found.verdicts = *std::move(verdicts);
  print(options.output == "json" ? as_json(found) : as_table(found));
  return fails(options.fail_on, found.verdicts) ? exit_failed : exit_ok;
}

}  // namespace

void add_risk(CLI::App& parent, Context& context) {
  CLI::App* risk = parent.add_subcommand("risk", "Evaluate the risks of updates on a cluster");
  risk->require_subcommand(1);
  add_risk_status(*risk, context);
  add_risk_capture(*risk, context);
  add_risk_explain(*risk, context);
  auto options = std::make_shared<RiskOptions>();
  CLI::App* command =
      add_command(*risk, context, "check", "Say which updates are recommended to a cluster, and why",
                  "fairway risk check --graph-data examples/graph-data --releases examples/releases.json "
                  "--channel stable-4.7 --from 4.6.23 --series examples/metrics.txt",
                  [options] { return check(*options); });
  command->add_option("--from", options->from, "The version that the cluster is at")
      ->type_name("VERSION")
      ->required();
  command->add_option("--channel", options->channel, "The cluster's channel")->type_name("NAME");
  add_output_option(*command, options->output, {"table", "json"});
  add_graph_inputs(*command, options->inputs);
  // Not the only ones that say where updates come from, here.
  command->get_option("--graph-data")->required(false);
  command->get_option("--releases")->required(false);
  command->add_option("--graph", options->graph_file, "An update service's answer (JSON) in a file")
      ->type_name("FILE");
  command
      ->add_option("--upstream", options->upstream,
                   "An update service to ask, as clusters name it: https://HOST/api/upgrades_info/graph")
      ->type_name("URL");
  command
      ->add_option(
          "--fail-on", options->fail_on,
          "Exit with 1 if a risk of an update is Unknown (also where another one matches), or the cluster "
          "is exposed to one: unknown, exposed, or both (not with --every)")
      ->type_name("unknown|exposed")
      ->delimiter(',')
      ->check(CLI::IsMember({"unknown", "exposed"}).description(""));
  add_series_inputs(*command, options->series);
  add_dialect_option(command, options->dialect);
  options->dialect_flag = command->get_option("--dialect")->description(dialect_over_captures);
  add_prometheus_flags(*command, options->prometheus);
  add_evaluator_flags(*command, options->prometheus, options->local);
  add_limit_flags(*command, options->limits);
  CLI::Option* every =
      command
          ->add_option(
              "--every", options->every,
              "Ask for the graph and judge again this often until Ctrl-C, and print what has changed")
          ->type_name("DURATION")
          ->group("Polling");
  options->polling_flags = add_polling_flags(*command, options->polling, every);
}

}  // namespace fairway::cli
