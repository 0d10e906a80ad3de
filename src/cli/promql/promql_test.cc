// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/promql/promql.h"
#include "command_line/input.h"
#include "promql/script/promqltest.h"

namespace fairway::cli {

namespace {

struct TestOptions {
  std::vector<std::string> files;
  std::string dialect = "3", timeout = "1m";
};

struct Counts {
  int passed = 0, failed = 0, skipped = 0;
};

void print_case(const std::string& file, const promql::ScriptCase& one, Counts& counts) {
  using Outcome = promql::ScriptCase::Outcome;
  switch (one.outcome) {
    case Outcome::passed:
      ++counts.passed;
      return;
    case Outcome::failed:
      ++counts.failed;
      std::printf("%s:%d: failed: %s\n", file.c_str(), one.line, one.detail.c_str());
      break;
    case Outcome::skipped:
      ++counts.skipped;
      std::printf("%s:%d: skipped, needs %s\n", file.c_str(), one.line, one.detail.c_str());
      break;
  }
  if (!one.query.empty()) std::printf("  %s\n", one.query.c_str());
}

int test(const TestOptions& options) {
  promql::ScriptOptions script_options{.dialect = dialect_of(options.dialect)};
  const auto timeout = parse_query_duration("timeout", options.timeout);
  if (!timeout) return report(timeout.error(), exit_usage);
  script_options.timeout = std::chrono::milliseconds(*timeout);
  script_options.clock = &Clock::system();
  Counts counts;
  int exit_code = exit_ok;
  for (const std::string& file : options.files) {
    const auto script = read_input(file);
    if (!script) {
      exit_code = report(script.error());
      continue;
    }
    for (const promql::ScriptCase& one : promql::run_script(*script, script_options))
      print_case(file, one, counts);
  }
  std::printf("%d passed, %d failed, %d skipped\n", counts.passed, counts.failed, counts.skipped);
  return counts.failed > 0 ? exit_failed : exit_code;
}

}  // namespace

void add_promql_test(CLI::App& promql, Context& context) {
  auto options = std::make_shared<TestOptions>();
  CLI::App* command =
      add_command(promql, context, "test", "Run test scripts in the language of Prometheus's own tests",
                  "fairway promql test aggregators.test", [options] { return test(*options); });
  command->add_option("FILE", options->files, "Scripts: load, clear, eval")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--timeout", options->timeout, "Give up an eval command after this duration")
      ->capture_default_str();
  add_dialect_option(command, options->dialect);
}

}  // namespace fairway::cli
