// The flags that say who evaluates risks.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "promql/guard/cost.h"
#include "promql/parser/dialect.h"
#include "risk/evaluator.h"
#include "risk/evaluators/prometheus_api.h"
#include "risk/throttle.h"

namespace fairway::cli {

struct PrometheusFlags {
  std::string url;
  std::string evaluator = "remote";
  std::vector<std::string> ca_files;
  std::string token_file;
  std::string deadline = "30s";
};

/// What the local evaluator reads.
struct LocalFlags {
  std::vector<std::string> files, targets, ca_files;
  std::string token_file;
  /// How old what was read may be.
  std::chrono::nanoseconds interval = std::chrono::seconds(30);

  /// Whether any of them was given.
  bool any() const { return !files.empty() || !targets.empty() || !ca_files.empty() || !token_file.empty(); }
};

/// How often queries reach the monitoring stack, as durations.
struct PollingFlags {
  std::string between_any = "10m", between_same = "1h", unused = "24h";
};

/// Adds --prometheus and how it is reached.
CLI::Option* add_prometheus_flags(CLI::App& command, PrometheusFlags& flags);
/// Adds --risk-evaluator, and what the local one reads.
void add_evaluator_flags(CLI::App& command, PrometheusFlags& flags, LocalFlags& local);
/// The server of these flags. An Error: a flag is of no use.
Result<std::unique_ptr<risk::PrometheusApi>> make_prometheus_api(const PrometheusFlags& flags);
/// Who asks that Prometheus, or, where the flags say `local`, reads those files and targets and evaluates in
/// this dialect. An Error: a flag is of no use.
Result<std::unique_ptr<risk::Evaluator>> make_evaluator(const PrometheusFlags& flags, const LocalFlags& local,
                                                        promql::Dialect dialect);

/// Adds --risk-query-interval, --risk-repeat-interval and --risk-forget-after, and returns them. They are of
/// use with `every` only.
std::vector<const CLI::Option*> add_polling_flags(CLI::App& command, PollingFlags& flags, CLI::Option* every);
/// An Error: one of them is no duration.
Result<risk::PollingRules> read_polling_rules(const PollingFlags& flags);

/// Adds --promql-limit.
void add_limit_flags(CLI::App& command, std::vector<std::string>& limits);
Result<promql::CostLimits> read_limits(const std::vector<std::string>& limits);

}  // namespace fairway::cli
