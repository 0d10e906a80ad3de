// What the `fairway promql` commands share.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/commands.h"
#include "promql/cost.h"
#include "promql/dialect.h"
#include "promql/parser.h"

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

/// Sets a limit of the guard, "depth=10", as a flag has it.
Result<void> apply_limit(const char* flag, const std::string& text, promql::CostLimits& limits);

/// Writes an error to standard error, with the line it is on and a caret under its place.
void report_parse_error(const Query& query, const promql::ParseError& error, promql::Dialect dialect);

/// `fairway promql test`.
void add_promql_test(CLI::App& promql, Context& context);

/// `fairway promql eval` and `fairway promql cost`.
void add_promql_eval(CLI::App& promql, Context& context);
void add_promql_cost(CLI::App& promql, Context& context);

}  // namespace fairway::cli
