// SPDX-License-Identifier: Apache-2.0

#include "cli/risk/risk_options.h"

#include <chrono>

#include "base/clock.h"
#include "base/text.h"
#include "cli/ca_file_option.h"
#include "cli/promql/promql.h"
#include "risk/evaluators/local.h"
#include "risk/evaluators/remote.h"
#include "risk/evaluators/snapshot.h"

namespace fairway::cli {

namespace {

constexpr const char* group = "Prometheus";

}  // namespace

CLI::Option* add_prometheus_flags(CLI::App& command, PrometheusFlags& flags) {
  CLI::Option* url = command
                         .add_option("--prometheus", flags.url,
                                     "URL of a Prometheus or Thanos, without /api/v1: https://HOST:PORT")
                         ->type_name("URL")
                         ->group(group);
  add_ca_file_option(command, "--prometheus-ca-file", flags.ca_files, group);
  command
      .add_option("--prometheus-token-file", flags.token_file, "Bearer token to send; reread for each query")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--prometheus-deadline", flags.deadline, "Give up a query after this long")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  return url;
}

void add_evaluator_flags(CLI::App& command, PrometheusFlags& flags, LocalFlags& local) {
  command
      .add_option(
          "--risk-evaluator", flags.evaluator,
          "Who evaluates: remote (Prometheus, every query by itself), snapshot (Prometheus is asked for "
          "plain series once, they are evaluated here) or local (without Prometheus)")
      ->type_name("remote|snapshot|local")
      ->check(CLI::IsMember({"remote", "snapshot", "local"}).description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--local-file", local.files,
                  "File in Prometheus's text format, for --risk-evaluator local (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--local-target", local.targets,
                  "URL to scrape, https://HOST:PORT/metrics, for --risk-evaluator local (repeatable)")
      ->type_name("URL")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--local-ca-file", local.ca_files,
                  "PEM file of certificate authorities to trust for --local-target (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--local-token-file", local.token_file,
                  "Bearer token to send to each --local-target; reread for each scrape")
      ->type_name("FILE")
      ->group(group);
}

std::vector<const CLI::Option*> add_polling_flags(CLI::App& command, PollingFlags& flags,
                                                  CLI::Option* every) {
  std::vector<const CLI::Option*> added;
  const auto add = [&](const char* name, std::string& flag, const char* what) {
    CLI::Option* option =
        command.add_option(name, flag, what)->type_name("DURATION")->capture_default_str()->group("Polling");
    if (every != nullptr) option->needs(every);
    added.push_back(option);
  };
  add("--risk-query-interval", flags.between_any,
      "After any query, send none for this long; 0s: as soon as one is due");
  add("--risk-repeat-interval", flags.between_same,
      "After a query, do not send the same for this long; 0s: in every round");
  add("--risk-forget-after", flags.unused,
      "Forget a result that no risk asks for after this long; 0s: never");
  return added;
}

Result<risk::PollingRules> read_polling_rules(const PollingFlags& flags) {
  risk::PollingRules rules;
  const auto read = [](const char* name, const std::string& text,
                       std::chrono::nanoseconds& rule) -> Result<void> {
    const auto duration = parse_duration(text);
    if (!duration) return fail(duration.error().within(std::string("reading ") + name));
    if (*duration < std::chrono::nanoseconds::zero())
      return fail(ErrorCode::invalid, std::string(name) + " " + printable(text, 40) + " is negative");
    rule = *duration;
    return {};
  };
  Result<void> done = read("--risk-query-interval", flags.between_any, rules.between_any);
  if (done) done = read("--risk-repeat-interval", flags.between_same, rules.between_same);
  if (done) done = read("--risk-forget-after", flags.unused, rules.unused);
  if (!done) return fail(done.error());
  return rules;
}

Result<std::unique_ptr<risk::PrometheusApi>> make_prometheus_api(const PrometheusFlags& flags) {
  risk::PrometheusOptions options;
  options.url = flags.url;
  options.ca_files = flags.ca_files;
  options.token_file = flags.token_file;
  const auto deadline = parse_duration(flags.deadline);
  if (!deadline) return fail(deadline.error().within("reading --prometheus-deadline"));
  options.deadline = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline);
  if (options.deadline <= std::chrono::milliseconds::zero()) {
    return fail(ErrorCode::invalid, "--prometheus-deadline " + flags.deadline + " is too short");
  }
  auto api = risk::PrometheusApi::create(options);
  if (!api) return fail(api.error().within("reading --prometheus"));
  return api;
}

Result<std::unique_ptr<risk::Evaluator>> make_evaluator(const PrometheusFlags& flags, const LocalFlags& local,
                                                        promql::Dialect dialect,
                                                        const std::shared_ptr<promql::SeriesSeen>& seen) {
  if (flags.evaluator == "local") {
    risk::LocalOptions options;
    options.files = local.files;
    options.targets = local.targets;
    options.ca_files = local.ca_files;
    options.token_file = local.token_file;
    options.interval = local.interval;
    options.engine.dialect = dialect;
    options.seen = seen;
    auto made = risk::LocalEvaluator::create(options, Clock::system());
    if (!made) return fail(made.error().within("reading --local-file and --local-target"));
    return *std::move(made);
  }
  auto api = make_prometheus_api(flags);
  if (!api) return fail(api.error());
  if (flags.evaluator == "snapshot") {
    risk::SnapshotOptions options;
    options.seen = seen;
    return risk::make_snapshot(*std::move(api), options, Clock::system());
  }
  return risk::make_remote(*std::move(api));
}

void add_limit_flags(CLI::App& command, std::vector<std::string>& limits) {
  command
      .add_option("--promql-limit", limits,
                  "Another limit for queries (`fairway promql cost` lists them; repeatable)")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false);
}

Result<promql::CostLimits> read_limits(const std::vector<std::string>& limits) {
  promql::CostLimits read;
  for (const std::string& limit : limits) {
    if (auto applied = apply_limit("promql-limit", limit, read); !applied) return fail(applied.error());
  }
  return read;
}

}  // namespace fairway::cli
