#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/promql.h"
#include "promql/cost.h"
#include "promql/engine.h"
#include "promql/exposition.h"
#include "promql/go_text.h"
#include "promql/promqltest.h"
#include "promql/result_json.h"

namespace fairway::cli {

namespace {

struct EvalOptions {
  std::string query;
  std::vector<std::string> series;
  std::string time, range, step = "1m", output = "table", timeout = "2m";
  std::string dialect = "3";
};

struct CostOptions {
  std::vector<std::string> queries, limits;
  std::string dialect = "3";
};

/// A time as Prometheus's API takes it: seconds since 1970, or RFC 3339.
Result<promql::Timestamp> parse_query_time(const std::string& text) {
  if (const auto seconds = promql::parse_number(text); seconds && std::abs(*seconds) < 1e12)
    return static_cast<promql::Timestamp>(std::round(*seconds * 1000));
  const auto time = parse_time(text);
  if (!time) return fail(time.error().within("reading --time"));
  return std::chrono::duration_cast<std::chrono::milliseconds>(time->time_since_epoch()).count();
}

Result<promql::Timestamp> parse_query_duration(const std::string& flag, const std::string& text) {
  const auto milliseconds = promql::parse_duration_text(text, promql::Dialect::prometheus3);
  if (milliseconds && *milliseconds > 0) return *milliseconds;
  return fail(ErrorCode::invalid,
              "--" + flag + " '" + printable(text, 40) + "' is not a duration like 5m or 1h30m");
}

bool is_script(std::string_view text) {
  return std::ranges::any_of(split(text, '\n'), [](std::string_view line) {
    return line.starts_with("load ") || line.starts_with("load_with_nhcb ");
  });
}

/// Reads the files: scripts of the test language by their load commands, all else as exposition text, whose
/// samples stand at `time` unless they say when.
Result<void> read_series(const std::vector<std::string>& files, promql::Timestamp time,
                         promql::SeriesStore& store) {
  for (const std::string& file : files) {
    const auto text = read_file(file);
    if (!text) return fail(text.error());
    auto read =
        is_script(*text) ? promql::load_script(*text, store) : promql::read_exposition(*text, time, store);
    if (!read) return fail(read.error().within("reading the series of " + file));
  }
  return {};
}

void print_table(const promql::QueryResult& result) {
  const promql::Value& value = result.value;
  switch (value.type) {
    case promql::ValueType::scalar:
      std::printf("%s\n", promql::format_number(value.scalar).c_str());
      break;
    case promql::ValueType::string:
      std::printf("%s\n", promql::quote(value.string).c_str());
      break;
    case promql::ValueType::vector: {
      std::size_t width = 0;
      for (const auto& sample : value.vector) width = std::max(width, sample.metric.to_string().size());
      for (const auto& sample : value.vector)
        std::printf("%-*s  %s\n", static_cast<int>(width), sample.metric.to_string().c_str(),
                    promql::format_number(sample.value).c_str());
      break;
    }
    case promql::ValueType::matrix:
      for (const auto& series : value.matrix) {
        std::printf("%s\n", series.metric.to_string().c_str());
        for (const auto& point : series.points)
          std::printf("  %s  %s\n", promql::format_fixed(static_cast<double>(point.time) / 1000, 3).c_str(),
                      promql::format_number(point.value).c_str());
      }
      break;
    case promql::ValueType::none:
      break;
  }
  for (const std::string& text : result.warnings) std::fprintf(stderr, "warning: %s\n", text.c_str());
  for (const std::string& text : result.infos) std::fprintf(stderr, "info: %s\n", text.c_str());
}

/// When to evaluate: as told, else when the last sample of the scripts was taken, else now.
Result<promql::Timestamp> evaluation_time(const EvalOptions& options, const promql::SeriesStore& scripts) {
  if (!options.time.empty()) return parse_query_time(options.time);
  if (scripts.point_count() > 0) return scripts.last_time();
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::system().now().time_since_epoch())
      .count();
}

int eval(const EvalOptions& options) {
  const promql::Dialect dialect = dialect_of(options.dialect);
  const auto query = read_query(options.query);
  if (!query) return report(query.error());
  const auto parsed = promql::parse(query->text, dialect);
  if (!parsed) {
    report_parse_error(*query, parsed.error(), dialect);
    return exit_failed;
  }
  // Samples without a time of their own stand at the time of evaluation, which a script may decide.
  promql::SeriesStore store;
  promql::Timestamp now = 0;
  {
    promql::SeriesStore scripts;
    std::vector<std::string> script_files;
    for (const std::string& file : options.series) {
      const auto text = read_file(file);
      if (!text) return report(text.error());
      if (is_script(*text)) script_files.push_back(file);
    }
    if (auto read = read_series(script_files, 0, scripts); !read) return report(read.error());
    const auto time = evaluation_time(options, scripts);
    if (!time) return report(time.error(), exit_usage);
    now = *time;
  }
  if (auto read = read_series(options.series, now, store); !read) return report(read.error());

  promql::EngineOptions engine;
  engine.dialect = dialect;
  engine.clock = &Clock::system();
  const auto timeout = parse_query_duration("timeout", options.timeout);
  if (!timeout) return report(timeout.error(), exit_usage);
  engine.deadline = engine.clock->steady() + std::chrono::milliseconds(*timeout);
  std::expected<promql::QueryResult, promql::QueryError> result;
  if (options.range.empty()) {
    result = promql::instant_query(**parsed, query->text, store, now, engine);
  } else {
    const auto range = parse_query_duration("range", options.range),
               step = parse_query_duration("step", options.step);
    if (!range) return report(range.error(), exit_usage);
    if (!step) return report(step.error(), exit_usage);
    result = promql::range_query(**parsed, query->text, store, now - *range, now, *step, engine);
  }
  if (options.output == "json") {
    const json::Value answer = result ? promql::to_json(*result) : promql::to_json(result.error());
    std::printf("%s\n", json::to_text(answer).c_str());
    return result ? exit_ok : exit_failed;
  }
  if (!result) return report({ErrorCode::invalid, "evaluating the query: " + result.error().message});
  print_table(*result);
  return exit_ok;
}

/// "depth=10": a limit by name.
Result<void> apply_limit(promql::CostLimits& limits, const std::string& text) {
  const std::size_t equals = text.find('=');
  std::uint64_t value = 0;
  const std::string_view number = std::string_view(text).substr(std::min(equals, text.size() - 1) + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (equals == std::string::npos || error != std::errc{} || end != number.data() + number.size() ||
      !promql::set_limit(limits, text.substr(0, equals), value))
    return fail(ErrorCode::invalid,
                "--limit '" + printable(text, 80) +
                    "' is not NAME=NUMBER with the name of a measure (as the command lists them)");
  return {};
}

int cost(const CostOptions& options) {
  const promql::Dialect dialect = dialect_of(options.dialect);
  promql::CostLimits limits;
  for (const std::string& limit : options.limits) {
    if (auto applied = apply_limit(limits, limit); !applied) return report(applied.error(), exit_usage);
  }
  int exit_code = exit_ok;
  for (const std::string& argument : options.queries) {
    const auto query = read_query(argument);
    if (!query) {
      exit_code = report(query.error());
      continue;
    }
    const auto parsed = promql::parse(query->text, dialect);
    if (!parsed) {
      report_parse_error(*query, parsed.error(), dialect);
      exit_code = exit_failed;
      continue;
    }
    const promql::Cost measured = promql::cost_of(**parsed, query->text, limits);
    std::printf("%-24s %20s %20s\n", "MEASURE", "VALUE", "LIMIT");
    for (const promql::CostLine& line : promql::cost_lines(measured, limits))
      std::printf("%-24s %20llu %20llu%s\n", std::string(line.name).c_str(),
                  static_cast<unsigned long long>(line.value), static_cast<unsigned long long>(line.limit),
                  line.value > line.limit ? "  exceeded" : "");
    if (const std::string exceeded = promql::exceeded_limits(measured, limits); !exceeded.empty())
      exit_code = report({ErrorCode::too_large, "the query is too costly: " + exceeded});
  }
  return exit_code;
}

}  // namespace

void add_promql_eval(CLI::App& promql, Context& context) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = add_command(promql, context, "eval", "Evaluate a query over series from files",
                                  "fairway promql eval 'max(up)' --series metrics.txt -o json",
                                  [options] { return eval(*options); });
  command->add_option("QUERY", options->query, "A query, a file that holds one, or - for standard input")
      ->required();
  command->add_option("--series", options->series, "Exposition text, or a test script with load commands")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--time", options->time,
                      "When: seconds since 1970 or RFC 3339 (default: the last sample of a script, or now)");
  command->add_option("--range", options->range, "Evaluate over this duration up to the time");
  command->add_option("--step", options->step, "The step of a range")->capture_default_str();
  command->add_option("--timeout", options->timeout, "Give up after this duration")->capture_default_str();
  command->add_option("-o,--output", options->output, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  add_dialect_option(command, options->dialect);
}

void add_promql_cost(CLI::App& promql, Context& context) {
  auto options = std::make_shared<CostOptions>();
  CLI::App* command =
      add_command(promql, context, "cost", "Say what a query may cost, and whether that is within the limits",
                  "fairway promql cost 'max_over_time(up[1h])'", [options] { return cost(*options); });
  command->add_option("QUERY", options->queries, "A query, a file that holds one, or - for standard input")
      ->required();
  command->add_option("--limit", options->limits, "Another limit: NAME=NUMBER");
  add_dialect_option(command, options->dialect);
}

}  // namespace fairway::cli
