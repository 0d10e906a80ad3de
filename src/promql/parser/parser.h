// A query's text as a tree.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "promql/parser/ast.h"
#include "promql/parser/dialect.h"

namespace fairway::promql {

/// Trees deeper than this are refused: evaluation recurses.
inline constexpr int max_expression_depth = 256;
/// Longer texts are refused.
inline constexpr std::size_t max_query_size = 1 << 20;

/// What is wrong with a query, and where.
struct ParseError {
  Span span;
  std::string message;
  /// Set where the query is right, but needs a part of Prometheus that is experimental or not offered here:
  /// its name.
  std::string unsupported_feature;
};

/// Prometheus's line for it: `1:6: parse error: unclosed left parenthesis`. Of an empty query Prometheus 3
/// knows no position.
std::string to_string(const ParseError& error, std::string_view query,
                      Dialect dialect = Dialect::prometheus3);

/// Reads one expression and checks its types. Errors have Prometheus's words and positions; only the first is
/// given, as Prometheus shows only the first.
std::expected<ExpressionPtr, ParseError> parse(std::string_view query,
                                               Dialect dialect = Dialect::prometheus3);

/// Checks the types of a tree and completes what depends on them (matching of set operators); `parse` does
/// this.
std::expected<void, ParseError> check_types(Expression& expression);

}  // namespace fairway::promql
