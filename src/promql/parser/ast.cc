// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/ast.h"

#include <algorithm>
#include <cmath>

namespace fairway::promql {

namespace {

bool same_optional(const ExpressionPtr& a, const ExpressionPtr& b) {
  if (!a || !b) return !a && !b;
  return same_tree(*a, *b);
}

bool same(const NumberLiteral& a, const NumberLiteral& b) {
  if (std::isnan(a.value) || std::isnan(b.value)) return std::isnan(a.value) && std::isnan(b.value);
  return a.value == b.value && a.duration == b.duration;
}

bool same(const StringLiteral& a, const StringLiteral& b) {
  return a.value == b.value;
}

bool same(const VectorSelector& a, const VectorSelector& b) {
  return a.name == b.name && a.time == b.time && a.matchers.size() == b.matchers.size() &&
         std::is_permutation(a.matchers.begin(), a.matchers.end(), b.matchers.begin());
}

bool same(const MatrixSelector& a, const MatrixSelector& b) {
  return a.range == b.range && same_optional(a.selector, b.selector);
}

bool same(const Subquery& a, const Subquery& b) {
  return a.range == b.range && a.step == b.step && a.time == b.time &&
         same_optional(a.expression, b.expression);
}

bool same(const Paren& a, const Paren& b) {
  return same_optional(a.expression, b.expression);
}

bool same(const Unary& a, const Unary& b) {
  return a.op == b.op && same_optional(a.operand, b.operand);
}

bool same(const Binary& a, const Binary& b) {
  return a.op == b.op && a.return_bool == b.return_bool && a.matching == b.matching &&
         same_optional(a.lhs, b.lhs) && same_optional(a.rhs, b.rhs);
}

bool same(const Aggregation& a, const Aggregation& b) {
  return a.op == b.op && a.grouping == b.grouping && a.without == b.without &&
         same_optional(a.parameter, b.parameter) && same_optional(a.expression, b.expression);
}

bool same(const Call& a, const Call& b) {
  return a.function == b.function &&
         std::ranges::equal(a.arguments, b.arguments,
                            [](const auto& x, const auto& y) { return same_optional(x, y); });
}

}  // namespace

const Expression& without_parens(const Expression& expression) {
  const Expression* inner = &expression;
  while (const auto* paren = std::get_if<Paren>(&inner->node)) inner = paren->expression.get();
  return *inner;
}

bool same_tree(const Expression& a, const Expression& b) {
  return std::visit(
      [](const auto& x, const auto& y) {
        if constexpr (std::is_same_v<decltype(x), decltype(y)>) {
          return same(x, y);
        } else {
          return false;
        }
      },
      a.node, b.node);
}

}  // namespace fairway::promql
