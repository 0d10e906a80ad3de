// SPDX-License-Identifier: Apache-2.0

// The flags of the evaluation of risks.
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

/// The inputs of the local evaluator.
struct LocalFlags {
  std::vector<std::string> files, targets, ca_files;
  std::string token_file;
  /// Maximum age of a scrape.
  std::chrono::nanoseconds interval = std::chrono::seconds(30);

  /// Returns whether any of the flags was given.
  bool any() const { return !files.empty() || !targets.empty() || !ca_files.empty() || !token_file.empty(); }
};

/// The polling rules, as durations.
struct PollingFlags {
  std::string between_any = "10m", between_same = "1h", unused = "24h";
};

/// Adds --prometheus and its connection flags.
CLI::Option* add_prometheus_flags(CLI::App& command, PrometheusFlags& flags);
/// Adds --risk-evaluator, and the inputs of the local one.
void add_evaluator_flags(CLI::App& command, PrometheusFlags& flags, LocalFlags& local);
/// Creates a client for the server of these flags. An Error: a flag is invalid.
Result<std::unique_ptr<risk::PrometheusApi>> make_prometheus_api(const PrometheusFlags& flags);
/// Creates the evaluator that queries that Prometheus or, for `local`, reads those files and targets and
/// evaluates in this dialect. An Error: a flag is invalid.
Result<std::unique_ptr<risk::Evaluator>> make_evaluator(const PrometheusFlags& flags, const LocalFlags& local,
                                                        promql::Dialect dialect,
                                                        const std::shared_ptr<promql::SeriesSeen>& seen);

/// Adds --risk-query-interval, --risk-repeat-interval and --risk-forget-after, and returns them. They are
/// valid with `every` only, unless that is nullptr.
std::vector<const CLI::Option*> add_polling_flags(CLI::App& command, PollingFlags& flags, CLI::Option* every);
/// Parses the polling rules. An Error: one of them is not a duration.
Result<risk::PollingRules> read_polling_rules(const PollingFlags& flags);

/// Adds --promql-limit.
void add_limit_flags(CLI::App& command, std::vector<std::string>& limits);
Result<promql::CostLimits> read_limits(const std::vector<std::string>& limits);

}  // namespace fairway::cli
