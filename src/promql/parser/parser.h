// SPDX-License-Identifier: Apache-2.0

// Parses a query into a syntax tree.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "promql/parser/ast.h"
#include "promql/parser/dialect.h"

namespace fairway::promql {

/// Limit on the depth of a tree, because evaluation recurses.
inline constexpr int max_expression_depth = 256;
/// Limit on the length of a query, in bytes.
inline constexpr std::size_t max_query_size = 1 << 20;

/// An error in a query, and its position.
struct ParseError {
  Span span = {};
  std::string message = {};
  /// Name of a feature that is experimental in Prometheus or not supported here, if a valid query needs one.
  std::string unsupported_feature = {};
};

/// Formats an error as Prometheus does: `1:6: parse error: unclosed left parenthesis`. Prometheus 3 gives no
/// position for an empty query.
std::string to_string(const ParseError& error, std::string_view query,
                      Dialect dialect = Dialect::prometheus3);

/// Parses one expression and checks its types. Errors have Prometheus's wording and positions; only the first
/// is reported, as in Prometheus.
std::expected<ExpressionPtr, ParseError> parse(std::string_view query,
                                               Dialect dialect = Dialect::prometheus3);

/// Checks the types of a tree and sets what depends on them (vector matching of set operators); called by
/// `parse`.
std::expected<void, ParseError> check_types(Expression& expression);

}  // namespace fairway::promql
