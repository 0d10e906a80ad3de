// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/promql/promql.h"
#include "command_line/input.h"
#include "promql/parser/parser.h"
#include "promql/parser/printer.h"

namespace fairway::cli {

namespace {

/// Longest line of a query that is shown, in bytes.
constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Returns a part of a line in a form that is safe for a terminal, with its tabs.
std::string shown(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t tab = std::min(text.find('\t'), text.size());
    out += printable(text.substr(0, tab), longest_line);
    if (tab < text.size()) out += '\t';
    text.remove_prefix(std::min(tab + 1, text.size()));
  }
  return out;
}

int format(const QueryOptions& options) {
  return for_each_query(options.queries, options.dialect,
                        [](const Query&, const promql::Expression& expression, promql::Dialect dialect) {
                          std::printf("%s\n", promql::print(expression, dialect).c_str());
                          return exit_ok;
                        });
}

}  // namespace

void add_query_options(CLI::App* command, QueryOptions& options) {
  command->add_option("QUERY", options.queries, "A query, a file that holds one, or - for standard input")
      ->required();
  add_dialect_option(command, options.dialect);
}

bool looks_like_path(std::string_view text) {
  return text.find_first_of("./") != std::string_view::npos &&
         text.find_first_of(" \t\n(){}[]\"'`") == std::string_view::npos;
}

promql::Dialect dialect_of(const std::string& name) {
  return name == "2" ? promql::Dialect::prometheus2 : promql::Dialect::prometheus3;
}

void add_dialect_option(CLI::App* command, std::string& dialect) {
  command->add_option("--dialect", dialect, "Which Prometheus the query is for: 3, or 2 (as 2.42)")
      ->check(CLI::IsMember({"2", "3"}))
      ->capture_default_str();
}

Result<Query> read_query(const std::string& argument) {
  if (!is_input(argument)) return Query{"", argument};
  auto text = read_input(argument, largest_query_file);
  if (!text) return fail(text.error());
  return Query{argument == "-" ? "<standard input>" : argument, std::move(*text)};
}

int for_each_query(const std::vector<std::string>& arguments, const std::string& dialect_name,
                   const QueryAction& act) {
  const promql::Dialect dialect = dialect_of(dialect_name);
  int exit_code = exit_ok;
  for (const std::string& argument : arguments) {
    const auto query = read_query(argument);
    if (!query) {
      exit_code = report(query.error());
      continue;
    }
    const auto parsed = promql::parse(query->text, dialect);
    if (!parsed) {
      report_parse_error(*query, parsed.error(), dialect);
      exit_code = exit_failed;
    } else if (const int code = act(*query, **parsed, dialect); code != exit_ok) {
      exit_code = code;
    }
  }
  return exit_code;
}

void report_parse_error(const Query& query, const promql::ParseError& error, promql::Dialect dialect) {
  const std::string_view text = query.text;
  const std::size_t position = std::min(error.span.start, text.size());
  const std::size_t line_begin = position == 0 ? 0 : text.rfind('\n', position - 1) + 1;
  const std::size_t line_end = std::min(text.find('\n', position), text.size());
  const std::string before = shown(text.substr(line_begin, position - line_begin));
  std::string caret;
  // Bytes that continue a character take no column of their own; tabs stay tabs.
  for (const char c : before) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) caret += c == '\t' ? '\t' : ' ';
  }
  const std::string prefix = query.file.empty() ? "" : printable(query.file, longest_line) + ":";
  std::fprintf(stderr, "error: %s%s\n  %s%s\n  %s^\n", prefix.c_str(),
               printable(promql::to_string(error, text, dialect), longest_line).c_str(), before.c_str(),
               shown(text.substr(position, line_end - position)).c_str(), caret.c_str());
  if (query.file.empty() && looks_like_path(text)) std::fprintf(stderr, "  %s\n", hint_no_file);
}

void add_promql(CLI::App& parent, Context& context) {
  CLI::App* promql = parent.add_subcommand("promql", "Check, format and evaluate PromQL");
  promql->require_subcommand(1);
  auto options = std::make_shared<QueryOptions>();
  add_promql_check(*promql, context);
  add_query_options(
      add_command(*promql, context, "format", "Print a query as Prometheus would",
                  "fairway promql format 'sum(up)by(job)'", [options] { return format(*options); }),
      *options);
  add_promql_eval(*promql, context);
  add_promql_cost(*promql, context);
  add_promql_test(*promql, context);
}

}  // namespace fairway::cli
