// What the `fairway promql` commands share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "command_line/commands.h"
#include "promql/engine/value.h"
#include "promql/guard/cost.h"
#include "promql/parser/dialect.h"
#include "promql/parser/parser.h"

namespace fairway::cli {

/// A query and where it came from.
struct Query {
  /// Empty for a query that stood on the command line.
  std::string file;
  std::string text;
};

/// The query of an argument: of standard input for "-", of a file that there is, or the argument itself.
Result<Query> read_query(const std::string& argument);

/// Adds --dialect, with `dialect` as its default.
void add_dialect_option(CLI::App* command, std::string& dialect);
promql::Dialect dialect_of(const std::string& name);

/// Milliseconds of a flag such as --range, above zero.
Result<promql::Timestamp> parse_query_duration(const std::string& flag, const std::string& text);

/// Sets a limit of the guard, "depth=10", as a flag has it.
Result<void> apply_limit(const char* flag, const std::string& text, promql::CostLimits& limits);

/// Writes an error to standard error, with the line it is on and a caret under its place.
void report_parse_error(const Query& query, const promql::ParseError& error, promql::Dialect dialect);

/// What a command does with one query; gives an exit code.
using QueryAction = std::function<int(const Query&, const promql::Expression&, promql::Dialect)>;
/// Reads and parses each argument and hands it to `act`. What cannot be read, or is not correct, is reported
/// and passed over. The exit code is the last that was not exit_ok.
int for_each_query(const std::vector<std::string>& arguments, const std::string& dialect,
                   const QueryAction& act);

/// `fairway promql test`.
void add_promql_test(CLI::App& promql, Context& context);

/// `fairway promql eval` and `fairway promql cost`.
void add_promql_eval(CLI::App& promql, Context& context);
void add_promql_cost(CLI::App& promql, Context& context);

}  // namespace fairway::cli
