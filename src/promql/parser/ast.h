// SPDX-License-Identifier: Apache-2.0

// The syntax tree of a query.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "promql/parser/function.h"
#include "promql/parser/matcher.h"
#include "promql/parser/span.h"
#include "promql/parser/token.h"

namespace fairway::promql {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// A duration in nanoseconds, because `[0.0001]` is a valid range.
using Nanoseconds = std::int64_t;

struct NumberLiteral {
  double value = 0;
  /// True if it is written as a duration, `5m`; the value is in seconds.
  bool duration = false;
};

struct StringLiteral {
  std::string value = {};
};

/// The `offset` and `@` of a selector or subquery.
struct TimeShift {
  enum class Anchor { none, timestamp, start, end };
  Nanoseconds offset = 0;
  Anchor anchor = Anchor::none;
  /// Time in milliseconds since 1970, if the anchor is a timestamp.
  std::int64_t timestamp = 0;
  friend bool operator==(const TimeShift&, const TimeShift&) = default;
};

struct VectorSelector {
  /// Name outside the braces; it is also the last of the matchers.
  std::string name = {};
  std::vector<Matcher> matchers = {};
  TimeShift time = {};
};

struct MatrixSelector {
  /// A VectorSelector, which also holds offset and @.
  ExpressionPtr selector = {};
  Nanoseconds range = 0;
};

struct Subquery {
  ExpressionPtr expression = {};
  Nanoseconds range = 0;
  /// Step; 0: the default step of the engine.
  Nanoseconds step = 0;
  TimeShift time = {};
};

struct Paren {
  ExpressionPtr expression = {};
};

struct Unary {
  TokenKind op = TokenKind::sub;
  ExpressionPtr operand = {};
};

struct VectorMatching {
  enum class Cardinality { one_to_one, many_to_one, one_to_many, many_to_many };
  Cardinality cardinality = Cardinality::one_to_one;
  bool on = false;
  std::vector<std::string> labels = {};
  /// Labels of group_left or group_right.
  std::vector<std::string> include = {};
  friend bool operator==(const VectorMatching&, const VectorMatching&) = default;
};

struct Binary {
  TokenKind op = TokenKind::add;
  ExpressionPtr lhs = {}, rhs = {};
  bool return_bool = false;
  /// Vector matching; std::nullopt if one side is a scalar.
  std::optional<VectorMatching> matching = {};
  Span op_span = {};
};

struct Aggregation {
  TokenKind op = TokenKind::sum;
  ExpressionPtr expression = {};
  /// Parameter of topk, bottomk, quantile and count_values; otherwise nullptr.
  ExpressionPtr parameter = {};
  std::vector<std::string> grouping = {};
  bool without = false;
};

struct Call {
  const Function* function = nullptr;
  std::vector<ExpressionPtr> arguments = {};
};

struct Expression {
  using Node = std::variant<NumberLiteral, StringLiteral, VectorSelector, MatrixSelector, Subquery, Paren,
                            Unary, Binary, Aggregation, Call>;
  Node node = {};
  Span span = {};
  ValueType type = ValueType::none;
  /// Depth of this tree; a leaf has 1.
  int depth = 1;
};

/// Returns the expression inside any number of parentheses.
const Expression& without_parens(const Expression& expression);

/// Returns whether two trees are equal, ignoring positions and the order of matchers in a
/// selector.
bool same_tree(const Expression& a, const Expression& b);

/// Calls `visit` with each direct part of an expression.
template <class Visit>
void for_each_child(const Expression& expression, const Visit& visit) {
  const auto call = [&](const ExpressionPtr& child) {
    if (child) visit(*child);
  };
  if (const auto* matrix = std::get_if<MatrixSelector>(&expression.node)) {
    call(matrix->selector);
  } else if (const auto* subquery = std::get_if<Subquery>(&expression.node)) {
    call(subquery->expression);
  } else if (const auto* paren = std::get_if<Paren>(&expression.node)) {
    call(paren->expression);
  } else if (const auto* unary = std::get_if<Unary>(&expression.node)) {
    call(unary->operand);
  } else if (const auto* binary = std::get_if<Binary>(&expression.node)) {
    call(binary->lhs);
    call(binary->rhs);
  } else if (const auto* aggregation = std::get_if<Aggregation>(&expression.node)) {
    call(aggregation->parameter);
    call(aggregation->expression);
  } else if (const auto* function = std::get_if<Call>(&expression.node)) {
    for (const ExpressionPtr& argument : function->arguments) call(argument);
  }
}

}  // namespace fairway::promql
