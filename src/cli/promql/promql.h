// SPDX-License-Identifier: Apache-2.0

// Common parts of the `fairway promql` commands.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/commands.h"
#include "promql/engine/value.h"
#include "promql/guard/cost.h"
#include "promql/parser/dialect.h"
#include "promql/parser/parser.h"

namespace fairway::cli {

/// A query and its origin.
struct Query {
  /// Name of the file; empty for a query from the command line.
  std::string file;
  std::string text;
};

/// The largest file of a query or of rules, in bytes.
inline constexpr std::size_t largest_query_file = std::size_t{1} << 20;

/// The flags of commands about queries.
struct QueryOptions {
  std::vector<std::string> queries;
  std::string dialect = "3";
};
void add_query_options(CLI::App* command, QueryOptions& options);

/// Returns the query of an argument: from standard input for "-", from an existing file, or the argument
/// itself.
Result<Query> read_query(const std::string& argument);

/// Help of --dialect where metrics may be a capture.
inline constexpr const char* dialect_over_captures =
    "Which Prometheus the query is for: 3, or 2 (as 2.42). A capture says itself of which one it is";

/// Adds --dialect, with `dialect` as its default.
void add_dialect_option(CLI::App* command, std::string& dialect);
promql::Dialect dialect_of(const std::string& name);

/// Parses the duration of a flag such as --range, in milliseconds, above zero.
Result<promql::Timestamp> parse_query_duration(const std::string& flag, const std::string& text);

/// Sets a limit of the guard from a flag's value, "depth=10".
Result<void> apply_limit(const char* flag, const std::string& text, promql::CostLimits& limits);

/// A hint for a text that is not a query and looks like the path of a file.
inline constexpr const char* hint_no_file = "there is no file of this name, and so it was read as a query";

/// Returns whether a text that is not a query looks like the path of a file: `query.promql`.
bool looks_like_path(std::string_view text);

/// Writes an error to standard error, with its line and a caret at its position.
void report_parse_error(const Query& query, const promql::ParseError& error, promql::Dialect dialect);

/// The action of a command on one query; returns an exit code.
using QueryAction = std::function<int(const Query&, const promql::Expression&, promql::Dialect)>;
/// Reads and parses each argument and calls `act`. Unreadable or invalid queries are reported and skipped.
/// Returns the last exit code that was not exit_ok.
int for_each_query(const std::vector<std::string>& arguments, const std::string& dialect,
                   const QueryAction& act);

/// `fairway promql check`.
void add_promql_check(CLI::App& promql, Context& context);

/// `fairway promql test`.
void add_promql_test(CLI::App& promql, Context& context);

/// `fairway promql eval` and `fairway promql cost`.
void add_promql_eval(CLI::App& promql, Context& context);
void add_promql_cost(CLI::App& promql, Context& context);

}  // namespace fairway::cli
