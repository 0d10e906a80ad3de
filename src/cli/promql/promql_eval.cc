// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/go_text.h"
#include "base/text.h"
#include "cli/promql/promql.h"
#include "cli/promql/promql_ask.h"
#include "cli/promql/series_files.h"
#include "command_line/terminal.h"
#include "promql/engine/engine.h"
#include "promql/engine/result_json.h"
#include "promql/guard/cost.h"
#include "promql/guard/query_window.h"
#include "promql/parser/go_text.h"

namespace fairway::cli {

namespace {

struct EvalOptions {
  std::string query;
  SeriesInputs series;
  PrometheusFlags prometheus;
  std::string range, step = "1m", output = "table", timeout = "2m";
  std::string dialect = "3";
  const CLI::Option* dialect_flag = nullptr;
};

struct CostOptions {
  std::vector<std::string> queries, limits;
  std::string dialect = "3";
};

void print_table(const promql::QueryResult& result) {
  const promql::Value& value = result.value;
  const bool is_list = value.type == promql::ValueType::vector || value.type == promql::ValueType::matrix;
  if (is_list && value.vector.empty() && value.matrix.empty())
    std::fprintf(stderr, "info: the result is empty: there are no samples in it\n");
  switch (value.type) {
    case promql::ValueType::scalar:
      std::printf("%s\n", go_plain_number(value.scalar).c_str());
      break;
    case promql::ValueType::string:
      std::printf("%s\n", promql::quote(value.string).c_str());
      break;
    case promql::ValueType::vector: {
      std::size_t width = 0;
      for (const auto& sample : value.vector) width = std::max(width, sample.metric.to_string().size());
      for (const auto& sample : value.vector)
        std::printf("%-*s  %s\n", static_cast<int>(width), sample.metric.to_string().c_str(),
                    go_plain_number(sample.value).c_str());
      break;
    }
    case promql::ValueType::matrix:
      for (const auto& series : value.matrix) {
        std::printf("%s\n", series.metric.to_string().c_str());
        for (const auto& point : series.points)
          std::printf("  %s  %s\n", promql::format_fixed(static_cast<double>(point.time) / 1000, 3).c_str(),
                      go_plain_number(point.value).c_str());
      }
      break;
    case promql::ValueType::none:
      break;
  }
  for (const std::string& text : result.warnings) std::fprintf(stderr, "warning: %s\n", text.c_str());
  for (const std::string& text : result.infos) std::fprintf(stderr, "info: %s\n", text.c_str());
}

/// A range of times, from --range and --step.
struct Range {
  promql::Timestamp length = 0, step = 0;
};
Result<Range> read_range(const EvalOptions& options) {
  if (options.range.empty()) return Range{};
  const auto length = parse_query_duration("range", options.range),
             step = parse_query_duration("step", options.step);
  if (!length) return fail(length.error());
  if (!step) return fail(step.error());
  return Range{*length, *step};
}

void print_line(const std::string& text) {
  std::printf("%s\n", text.c_str());
}

int eval_on_prometheus(const EvalOptions& options, const Query& query, std::optional<promql::Timestamp> time,
                       const Range& range) {
  risk::PrometheusApi::Times times{.at = time};
  if (range.step > 0) {
    times.end = time.value_or(
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::system().now().time_since_epoch())
            .count());
    times.start = times.end - range.length;
    times.step = range.step;
  }
  const auto result = ask_prometheus(options.prometheus, query.text, times);
  if (!result) {
    const AskFailure& failure = result.error();
    if (failure.type.empty()) return report({ErrorCode::invalid, failure.message}, exit_usage);
    if (options.output == "json") {
      print_line(promql::error_json_text(failure.type, failure.message));
      return exit_failed;
    }
    const promql::Dialect dialect = dialect_of(options.dialect);
    if (const auto parsed = promql::parse(query.text, dialect); failure.type == "bad_data" && !parsed) {
      report_parse_error(query, parsed.error(), dialect);
      return exit_failed;
    }
    return report({ErrorCode::unavailable, "asking Prometheus: " + failure.type + ": " + failure.message +
                                               (failure.hint.empty() ? "" : "; " + failure.hint)});
  }
  if (options.output == "json") {
    print_line(promql::to_json_text(*result, dialect_of(options.dialect)));
  } else {
    print_table(*result);
  }
  return exit_ok;
}

/// Prints the API's error for a query that cannot be run at all: 2.42 does not name the parameter of a range
/// query.
void print_bad_data(const std::string& message, promql::Dialect dialect, const Range& range) {
  const bool named = dialect == promql::Dialect::prometheus3 || range.step == 0;
  print_line(promql::error_json_text("bad_data", (named ? "invalid parameter \"query\": " : "") + message));
}

int eval_on_series(const EvalOptions& options, const Query& query, std::optional<promql::Timestamp> time,
                   const Range& range) {
  const auto series = load_series(options.series.files, time);
  SeriesDialect spoken{dialect_of(options.dialect)};
  if (series) spoken = dialect_over(*series, options.dialect_flag->count() > 0 ? options.dialect : "");
  const promql::Dialect dialect = spoken.dialect;
  if (spoken.source == risk::DialectSource::unknown) {
    command_line::warn(
        "the capture does not say of which Prometheus it is: the query is evaluated as Prometheus 3 would "
        "(--dialect says otherwise)");
  }
  const auto parsed = promql::parse(query.text, dialect);
  if (!parsed) {
    if (options.output == "json") {
      print_bad_data(promql::to_string(parsed.error(), query.text, dialect), dialect, range);
    } else {
      report_parse_error(query, parsed.error(), dialect);
    }
    return exit_failed;
  }
  if (!series) return report(series.error());
  const promql::SeriesStore& store = series->store;
  const promql::Timestamp now = series->time;
  promql::EngineOptions engine;
  engine.dialect = dialect;
  engine.clock = &Clock::system();
  const auto timeout = parse_query_duration("timeout", options.timeout);
  if (!timeout) return report(timeout.error(), exit_usage);
  engine.deadline = engine.clock->steady() + std::chrono::milliseconds(*timeout);
  const promql::CostLimits limits;
  const promql::Cost cost = promql::cost_of(**parsed, query.text, limits);
  if (const std::string exceeded = promql::exceeded_limits(cost, limits); !exceeded.empty()) {
    command_line::warn("the guard lets no risk ask this: " + exceeded +
                       "; here it is evaluated, within --timeout " + options.timeout);
  }
  const auto result = range.step > 0 ? promql::range_query(**parsed, query.text, store, now - range.length,
                                                           now, range.step, engine)
                                     : promql::instant_query(**parsed, query.text, store, now, engine);
  const auto reach = promql::reach_of(cost);
  warn_of_times(
      promql::metrics_outside_window(**parsed, store, {now - range.length, now, reach, engine.lookback}),
      now);
  if (options.output == "json") {
    const promql::ValueType type = (*parsed)->type;
    const bool has_no_steps = type != promql::ValueType::scalar && type != promql::ValueType::vector;
    if (result) {
      print_line(promql::to_json_text(*result, dialect));
    } else if (range.step > 0 && has_no_steps) {
      print_bad_data(result.error().message, dialect, range);
    } else {
      print_line(promql::to_json_text(result.error()));
    }
    return result ? exit_ok : exit_failed;
  }
  if (!result) return report({ErrorCode::invalid, "evaluating the query: " + result.error().message});
  print_table(*result);
  return exit_ok;
}

int eval(const EvalOptions& options) {
  const bool on_prometheus = !options.prometheus.url.empty();
  if (on_prometheus == !options.series.files.empty()) {
    return report({ErrorCode::invalid,
                   on_prometheus ? "--prometheus and --series exclude each other: the query is "
                                   "evaluated by one of them"
                                 : "over what is the query to be evaluated? Give --prometheus URL, or "
                                   "--series FILE"},
                  exit_usage);
  }
  const auto query = read_query(options.query);
  if (!query) return report(query.error());
  const auto time = parse_query_time(options.series.time);
  if (!time) return report(time.error(), exit_usage);
  const auto range = read_range(options);
  if (!range) return report(range.error(), exit_usage);
  return on_prometheus ? eval_on_prometheus(options, *query, *time, *range)
                       : eval_on_series(options, *query, *time, *range);
}

int cost(const CostOptions& options) {
  promql::CostLimits limits;
  for (const std::string& limit : options.limits) {
    if (auto applied = apply_limit("limit", limit, limits); !applied)
      return report(applied.error(), exit_usage);
  }
  const auto measure = [&](const Query& query, const promql::Expression& expression, promql::Dialect) {
    const promql::Cost measured = promql::cost_of(expression, query.text, limits);
    std::printf("%-24s %20s %20s\n", "MEASURE", "VALUE", "LIMIT");
    for (const promql::CostLine& line : promql::cost_lines(measured, limits))
      std::printf("%-24s %20llu %20llu%s\n", std::string(line.name).c_str(),
                  static_cast<unsigned long long>(line.value), static_cast<unsigned long long>(line.limit),
                  line.value > line.limit ? "  exceeded" : "");
    std::printf("samples are counted with series_per_selector=%llu and sample_interval=%llu (seconds)\n",
                static_cast<unsigned long long>(limits.series_per_selector),
                static_cast<unsigned long long>(limits.sample_interval));
    const std::string exceeded = promql::exceeded_limits(measured, limits);
    return exceeded.empty() ? exit_ok
                            : report({ErrorCode::too_large, "the query is too costly: " + exceeded});
  };
  return for_each_query(options.queries, options.dialect, measure);
}

}  // namespace

Result<promql::Timestamp> parse_query_duration(const std::string& flag, const std::string& text) {
  const auto milliseconds = promql::parse_duration_text(text, promql::Dialect::prometheus3);
  if (milliseconds && *milliseconds > 0) return *milliseconds;
  return fail(ErrorCode::invalid,
              "--" + flag + " '" + printable(text, 40) + "' is not a duration like 5m or 1h30m");
}

Result<void> apply_limit(const char* flag, const std::string& text, promql::CostLimits& limits) {
  const std::size_t equals = text.find('=');
  std::uint64_t value = 0;
  const std::string_view number = std::string_view(text).substr(std::min(equals, text.size() - 1) + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (equals == std::string::npos || error != std::errc{} || end != number.data() + number.size() ||
      !promql::set_limit(limits, text.substr(0, equals), value))
    return fail(ErrorCode::invalid, std::string("--") + flag + " '" + printable(text, 80) +
                                        "' is not NAME=NUMBER with the name of a measure (`fairway promql "
                                        "cost` lists them), or what samples are "
                                        "counted with, which is at least 1");
  return {};
}

void add_promql_eval(CLI::App& promql, Context& context) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = add_command(
      promql, context, "eval", "Evaluate a query over series from files, or on a Prometheus",
      "fairway promql eval 'max(up)' --series metrics.txt -o json", [options] { return eval(*options); });
  command->add_option("QUERY", options->query, "A query, a file that holds one, or - for standard input")
      ->required();
  add_series_inputs(*command, options->series);
  command->add_option("--range", options->range, "Evaluate over this duration up to the time");
  command->add_option("--step", options->step, "The step of a range")->capture_default_str();
  command->add_option("--timeout", options->timeout, "Give up an evaluation over files after this duration")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  add_dialect_option(command, options->dialect);
  options->dialect_flag = command->get_option("--dialect")->description(dialect_over_captures);
  add_prometheus_flags(*command, options->prometheus);
}

void add_promql_cost(CLI::App& promql, Context& context) {
  auto options = std::make_shared<CostOptions>();
  CLI::App* command =
      add_command(promql, context, "cost", "Say what a query may cost, and whether that is within the limits",
                  "fairway promql cost 'max_over_time(up[1h])'", [options] { return cost(*options); });
  command->add_option("QUERY", options->queries, "A query, a file that holds one, or - for standard input")
      ->required();
  command->add_option(
      "--limit", options->limits,
      "Another limit, or what the bound of samples is counted with: NAME=NUMBER (repeatable)");
  add_dialect_option(command, options->dialect);
}

}  // namespace fairway::cli
