// SPDX-License-Identifier: Apache-2.0

#include <string_view>
#include <unordered_set>

#include "promql/parser/go_text.h"
#include "promql/parser/parser.h"

namespace fairway::promql {

namespace {

class TypeChecker {
 public:
  /// Returns whether the types of `expression` and everything below it are right; otherwise sets `error`.
  bool check(Expression& expression) {
    return std::visit([&](auto& node) { return check(node, expression); }, expression.node);
  }

  ParseError error;

 private:
  bool wrong(Span span, std::string message) {
    error = {.span = span, .message = std::move(message)};
    return false;
  }

  bool expect(Expression& expression, ValueType wanted, const std::string& context) {
    if (!check(expression)) return false;
    if (expression.type == wanted) return true;
    return wrong(expression.span, "expected type " + std::string(documented(wanted)) + " in " + context +
                                      ", got " + std::string(documented(expression.type)));
  }

  bool check(NumberLiteral&, Expression&) { return true; }
  bool check(StringLiteral&, Expression&) { return true; }
  bool check(Paren& paren, Expression&) { return check(*paren.expression); }
  bool check(MatrixSelector& matrix, Expression&) { return check(*matrix.selector); }

  bool check(VectorSelector& selector, Expression& expression) {
    if (!selector.name.empty()) {
      for (std::size_t i = 0; i + 1 < selector.matchers.size(); ++i) {
        if (selector.matchers[i].name() != metric_name_label) continue;
        return wrong(expression.span, "metric name must not be set twice: " + quote(selector.name) + " or " +
                                          quote(selector.matchers[i].value()));
      }
      return true;
    }
    for (const Matcher& matcher : selector.matchers) {
      if (!matcher.matches("")) return true;
    }
    return wrong(expression.span, "vector selector must contain at least one non-empty matcher");
  }

  bool check(Subquery& subquery, Expression& expression) {
    if (!check(*subquery.expression)) return false;
    if (subquery.expression->type == ValueType::vector) return true;
    return wrong(expression.span, "subquery is only allowed on instant vector, got " +
                                      std::string(to_string(subquery.expression->type)) + " instead");
  }

  bool check(Unary& unary, Expression& expression) {
    if (!check(*unary.operand)) return false;
    const ValueType type = unary.operand->type;
    if (type == ValueType::scalar || type == ValueType::vector) return true;
    return wrong(expression.span,
                 "unary expression only allowed on expressions of type scalar or instant vector, got " +
                     quote(documented(type)));
  }

  bool check(Aggregation& aggregation, Expression&) {
    if (!expect(*aggregation.expression, ValueType::vector, "aggregation expression")) return false;
    if (!aggregation.parameter) return true;
    const bool text = aggregation.op == TokenKind::count_values;
    return expect(*aggregation.parameter, text ? ValueType::string : ValueType::scalar,
                  "aggregation parameter");
  }

  bool check(Binary& binary, Expression& expression) {
    if (!check(*binary.lhs) || !check(*binary.rhs)) return false;
    const ValueType left = binary.lhs->type, right = binary.rhs->type;
    if (binary.return_bool && !is_comparison(binary.op))
      return wrong(binary.op_span, "bool modifier can only be used on comparison operators");
    if (is_comparison(binary.op) && !binary.return_bool && left == ValueType::scalar &&
        right == ValueType::scalar)
      return wrong(binary.op_span, "comparisons between scalars must use BOOL modifier");
    VectorMatching& matching = *binary.matching;
    using Cardinality = VectorMatching::Cardinality;
    if (is_set_operator(binary.op) && matching.cardinality == Cardinality::one_to_one)
      matching.cardinality = Cardinality::many_to_many;
    if (matching.on && !matching.include.empty()) {
      // Both lists may be as long as the text.
      const std::unordered_set<std::string_view> included(matching.include.begin(), matching.include.end());
      for (const std::string& label : matching.labels) {
        if (!included.contains(label)) continue;
        return wrong(binary.op_span,
                     "label " + quote(label) + " must not occur in ON and GROUP clause at once");
      }
    }
    for (const Expression* side : {binary.lhs.get(), binary.rhs.get()}) {
      if (side->type != ValueType::scalar && side->type != ValueType::vector)
        return wrong(side->span, "binary expression must contain only scalar and instant vector types");
    }
    if (left == ValueType::scalar || right == ValueType::scalar) {
      if (!matching.labels.empty())
        return wrong(expression.span, "vector matching only allowed between instant vectors");
      binary.matching.reset();
      if (is_set_operator(binary.op))
        return wrong(expression.span, "set operator " + quote(spelling(binary.op)) +
                                          " not allowed in binary scalar expression");
    } else if (is_set_operator(binary.op) && matching.cardinality != Cardinality::many_to_many) {
      return wrong(expression.span, "no grouping allowed for " + quote(spelling(binary.op)) + " operation");
    }
    return true;
  }

  bool check(Call& call, Expression& expression) {
    const Function& function = *call.function;
    const std::size_t given = call.arguments.size(), declared = function.arguments.size();
    const auto wrong_count = [&](const char* how, std::size_t count) {
      return wrong(expression.span, std::string("expected ") + how + std::to_string(count) +
                                        " argument(s) in call to " + quote(function.name) + ", got " +
                                        std::to_string(given));
    };
    if (function.variadic == 0) {
      if (given != declared) return wrong_count("", declared);
    } else if (given + 1 < declared) {
      return wrong_count("at least ", declared - 1);
    } else if (function.variadic > 0 && given > declared - 1 + static_cast<std::size_t>(function.variadic)) {
      return wrong_count("at most ", declared - 1 + static_cast<std::size_t>(function.variadic));
    }
    for (std::size_t i = 0; i < given; ++i) {
      const ValueType wanted = function.arguments[std::min(i, declared - 1)];
      if (!expect(*call.arguments[i], wanted, "call to function " + quote(function.name))) return false;
    }
    return true;
  }
};

}  // namespace

std::expected<void, ParseError> check_types(Expression& expression) {
  TypeChecker checker;
  if (!checker.check(expression)) return std::unexpected(std::move(checker.error));
  return {};
}

}  // namespace fairway::promql
