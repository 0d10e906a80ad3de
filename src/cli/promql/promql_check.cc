// SPDX-License-Identifier: Apache-2.0

// fairway promql check: queries, and files of rules.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "cli/graph/graph_inputs.h"
#include "cli/promql/promql.h"
#include "command_line/input.h"
#include "command_line/terminal.h"
#include "promql/parser/parser.h"
#include "promql/rules/rule_file.h"

namespace fairway::cli {

namespace {

constexpr std::size_t longest_shown = 1'000;

struct CheckOptions {
  QueryOptions queries;
  std::string output = "text";
};

/// Returns whether an argument is a file of rules: those of Prometheus are YAML, and no query is.
bool is_rule_file(std::string_view argument) {
  return (argument.ends_with(".yaml") || argument.ends_with(".yml")) && is_input(std::string(argument));
}

/// Checks arguments one after the other, and prints what it finds.
class Checker {
 public:
  Checker(promql::Dialect dialect, bool as_json) : dialect_(dialect), as_json_(as_json) {}

  void check(const std::string& argument) {
    if (is_rule_file(argument)) return check_rules(argument);
    const auto query = read_query(argument);
    if (!query) return unreadable(argument, query.error());
    json::Object entry{{"query", query->text}};
    if (!query->file.empty()) entry["file"] = query->file;
    const auto type = check_query(*query, std::move(entry));
    if (!type || as_json_) return;
    const std::string prefix = query->file.empty() ? "" : query->file + ": ";
    std::printf("%scorrect, %s\n", prefix.c_str(), type->c_str());
  }

  /// Prints what is printed at the end. Returns the exit code.
  int finish() {
    if (as_json_) print(json::to_text(entries_) + "\n");
    return exit_code_;
  }

 private:
  void unreadable(const std::string& argument, const Error& error) {
    exit_code_ = exit_failed;
    if (!as_json_) return static_cast<void>(report(error));
    add({{"file", argument}, {"correct", false}, {"error", json::Object{{"message", error.message}}}});
  }

  void add(json::Object entry) { entries_.emplace_back(std::move(entry)); }

  /// Returns what a query gives, in words; std::nullopt if it is wrong.
  std::optional<std::string> check_query(const Query& query, json::Object entry) {
    const auto parsed = promql::parse(query.text, dialect_);
    entry["correct"] = parsed.has_value();
    if (!parsed) {
      exit_code_ = exit_failed;
      if (!as_json_) report_parse_error(query, parsed.error(), dialect_);
      const promql::ParseError& error = parsed.error();
      entry["error"] = json::Object{{"message", promql::to_string(error, query.text, dialect_)},
                                    {"start", error.span.start},
                                    {"end", error.span.end}};
      if (query.file.empty() && looks_like_path(query.text)) {
        entry["hint"] = hint_no_file;
      }
      add(std::move(entry));
      return std::nullopt;
    }
    std::string type(promql::documented((*parsed)->type));
    entry["type"] = type;
    add(std::move(entry));
    return type;
  }

  void check_rules(const std::string& path) {
    const auto text = read_input(path, largest_query_file);
    if (!text) return unreadable(path, text.error());
    const promql::RuleFile file = promql::read_rule_file(*text, dialect_);
    int faults = static_cast<int>(file.problems.size());
    for (const promql::RuleProblem& problem : file.problems) {
      if (!as_json_) {
        std::fprintf(stderr, "error: %s:%d:%d: %s\n", printable(path, longest_shown).c_str(),
                     problem.mark.line, problem.mark.column, problem.message.c_str());
      }
      add({{"file", path},
           {"line", problem.mark.line},
           {"correct", false},
           {"error", json::Object{{"message", problem.message}}}});
    }
    for (const promql::Rule& rule : file.rules) {
      json::Object entry{{"query", rule.query}, {"file", path}, {"line", rule.mark.line}};
      entry[rule.is_alert ? "alert" : "record"] = rule.name;
      // The error's own position is within the query.
      const std::string place = path + ":" + std::to_string(rule.mark.line) +
                                (rule.is_alert ? ": alert " : ": record ") + rule.name;
      if (!check_query({place, rule.query}, std::move(entry))) ++faults;
    }
    if (faults > 0) exit_code_ = exit_failed;
    if (as_json_) return;
    std::printf("%s: %s, %s\n", printable(path, longest_shown).c_str(),
                count(file.rules.size(), "rule").c_str(),
                faults == 0 ? "correct" : count(static_cast<std::size_t>(faults), "error").c_str());
  }

  const promql::Dialect dialect_;
  const bool as_json_;
  int exit_code_ = exit_ok;
  json::Array entries_;
};

int check(const CheckOptions& options) {
  Checker checker(dialect_of(options.queries.dialect), options.output == "json");
  for (const std::string& argument : options.queries.queries) checker.check(argument);
  return checker.finish();
}

}  // namespace

void add_promql_check(CLI::App& promql, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      add_command(promql, context, "check", "Say whether queries and rules are correct, and what they give",
                  "fairway promql check 'max(cluster_proxy_enabled{type=~\"https?\"})'",
                  [options] { return check(*options); });
  add_query_options(command, options->queries);
  command->get_option("QUERY")->description(
      "A query, a file that holds one, - for standard input, or a file of rules as Prometheus reads them: "
      "one "
      "whose name ends in .yaml or .yml");
  add_output_option(*command, options->output, {"text", "json"});
}

}  // namespace fairway::cli
