// The flags that say who evaluates risks.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "promql/cost.h"
#include "promql/dialect.h"
#include "risk/evaluator.h"
#include "risk/prometheus_api.h"

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
  std::vector<std::string> files, targets;
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

/// Adds --promql-limit.
void add_limit_flags(CLI::App& command, std::vector<std::string>& limits);
Result<promql::CostLimits> read_limits(const std::vector<std::string>& limits);

}  // namespace fairway::cli
