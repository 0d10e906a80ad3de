// SPDX-License-Identifier: Apache-2.0

#include "promql/guard/missing_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace fairway::promql {

namespace {

/// The constant value of a part of a query whose series are missing, and the expression that produces it.
struct Constant {
  double number = 0;
  const Expression* source = nullptr;  ///< a side of an `or`; nullptr: the part itself
};

/// The outcome of an expression.
struct Outcome {
  enum class Kind { nothing, number, unknown } kind = Kind::unknown;  ///< the result without any series
  Constant constant = {};                                             ///< the value, if it is a number
  bool selects = false;                                               ///< true if it reads any series
  /// Values that it can have if only the series of one of its parts are missing.
  std::vector<Constant> of_parts = {};
};
using Kind = Outcome::Kind;

Outcome outcome_of(const Expression& expression);

/// Returns the values that an expression can have because series are missing.
std::vector<Constant> missing_in(const Expression& expression, Outcome& outcome) {
  if (outcome.kind != Kind::number) return std::move(outcome.of_parts);
  if (!outcome.selects) return {};
  if (outcome.constant.source == nullptr) outcome.constant.source = &without_parens(expression);
  return {outcome.constant};
}

/// Returns the result of an operator; std::nullopt if a comparison filters it out. NaN for an unknown
/// operator.
std::optional<double> calculate(const Binary& binary, double left, double right) {
  using enum TokenKind;
  const auto compared = [&](bool holds) -> std::optional<double> {
    if (binary.return_bool) return holds ? 1 : 0;
    const double passed = binary.lhs->type == ValueType::scalar ? right : left;
    return holds ? std::optional(passed) : std::nullopt;
  };
  switch (binary.op) {
    case add:
      return left + right;
    case sub:
      return left - right;
    case mul:
      return left * right;
    case div:
      return left / right;
    case equal:
      return compared(left == right);
    case not_equal:
      return compared(left != right);
    case greater:
      return compared(left > right);
    case less:
      return compared(left < right);
    case greater_equal:
      return compared(left >= right);
    case less_equal:
      return compared(left <= right);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

Outcome either(const Binary& binary, Outcome left, Outcome right) {
  // Each side stands for itself: the outermost `or` says where the number comes from.
  const auto number_of = [](const Outcome& side, const Expression* source) {
    return Outcome{.kind = Kind::number, .constant = {side.constant.number, source}, .selects = true};
  };
  if (left.kind == Kind::number) {
    const Expression* inner = left.constant.source;
    return number_of(left, inner != nullptr ? inner : &without_parens(*binary.lhs));
  }
  if (left.kind == Kind::unknown) return {};
  if (right.kind == Kind::number) return number_of(right, &without_parens(*binary.rhs));
  Outcome outcome{.kind = right.kind};
  outcome.of_parts = missing_in(*binary.lhs, left);
  std::ranges::move(missing_in(*binary.rhs, right), std::back_inserter(outcome.of_parts));
  return outcome;
}

/// Returns the outcome of `and` and `unless`: the samples of the left side that remain.
Outcome remaining(const Binary& binary, Outcome left, const Outcome& right) {
  const Kind removes = binary.op == TokenKind::and_set ? Kind::nothing : Kind::number;
  Outcome outcome;
  if (left.kind == Kind::nothing || right.kind == removes) {
    outcome.kind = Kind::nothing;
  } else if (left.kind == Kind::number && right.kind != Kind::unknown) {
    outcome.kind = Kind::number;
    outcome.constant = left.constant;
    return outcome;
  }
  outcome.of_parts = missing_in(*binary.lhs, left);
  return outcome;
}

Outcome calculated(const Binary& binary, Outcome left, Outcome right) {
  Outcome outcome;
  const bool zero =
      binary.op == TokenKind::mul && ((left.kind == Kind::number && left.constant.number == 0) ||
                                      (right.kind == Kind::number && right.constant.number == 0));
  if (left.kind == Kind::nothing || right.kind == Kind::nothing) {
    outcome.kind = Kind::nothing;
  } else if (left.kind == Kind::number && right.kind == Kind::number) {
    const auto number = calculate(binary, left.constant.number, right.constant.number);
    outcome.kind = number ? Kind::number : Kind::nothing;
    const Expression* source = left.constant.source != nullptr ? left.constant.source : right.constant.source;
    outcome.constant = {number.value_or(0), source};
    return outcome;
  } else if (zero) {
    outcome.kind = Kind::number;
    return outcome;
  }
  const auto with = [&](const std::vector<Constant>& missing, const Outcome& other, bool on_left) {
    for (const Constant& constant : missing) {
      if (other.kind == Kind::number && !other.selects) {
        const auto number = on_left ? calculate(binary, constant.number, other.constant.number)
                                    : calculate(binary, other.constant.number, constant.number);
        if (number) outcome.of_parts.push_back({*number, constant.source});
      } else if (binary.op == TokenKind::mul && constant.number == 0) {
        outcome.of_parts.push_back(constant);  // whatever the other side is
      }
    }
  };
  with(missing_in(*binary.lhs, left), right, true);
  with(missing_in(*binary.rhs, right), left, false);
  return outcome;
}

Outcome outcome_of(const Binary& binary) {
  Outcome left = outcome_of(*binary.lhs), right = outcome_of(*binary.rhs);
  const bool selects = left.selects || right.selects;
  using enum TokenKind;
  Outcome outcome = binary.op == or_set ? either(binary, std::move(left), std::move(right))
                    : binary.op == and_set || binary.op == unless_set
                        ? remaining(binary, std::move(left), right)
                        : calculated(binary, std::move(left), std::move(right));
  outcome.selects = selects;
  return outcome;
}

/// Applies `function` to the outcome of a part; the function returns std::nullopt if the result is unknown.
template <class Function>
Outcome mapped(const Expression& part, const Function& function) {
  Outcome inner = outcome_of(part);
  Outcome outcome{.kind = inner.kind, .selects = inner.selects};
  if (inner.kind == Kind::number) {
    const std::optional<double> number = function(inner.constant.number);
    if (!number) return {.selects = inner.selects};
    outcome.constant = {*number, inner.constant.source};
    return outcome;
  }
  for (const Constant& constant : missing_in(part, inner)) {
    if (const std::optional<double> number = function(constant.number))
      outcome.of_parts.push_back({*number, constant.source});
  }
  return outcome;
}

Outcome outcome_of(const Aggregation& aggregation) {
  using enum TokenKind;
  return mapped(*aggregation.expression, [&](double number) -> std::optional<double> {
    switch (aggregation.op) {
      case group:
      case count:
        return 1;
      case stddev:
      case stdvar:
        return 0;
      case count_values:
        return std::nullopt;
      default:
        return number;
    }
  });
}

Outcome absent(const Expression& argument) {
  const Outcome inner = outcome_of(argument);
  Outcome outcome{.selects = inner.selects};
  if (inner.kind == Kind::nothing) {
    outcome.kind = Kind::number;
    outcome.constant.number = 1;
  } else if (inner.kind == Kind::number) {
    outcome.kind = Kind::nothing;
  }
  return outcome;
}

/// Applies a function that changes or keeps the value of a sample. std::nullopt for all others, whose result
/// is unknown.
std::optional<double> apply(const Call& call, double number) {
  const std::string_view name = call.function->name;
  const auto is_one_of = [name](auto... names) { return ((name == names) || ...); };
  const auto argument = [&call](std::size_t index) -> std::optional<double> {
    if (index >= call.arguments.size()) return std::nullopt;
    const auto* literal = std::get_if<NumberLiteral>(&without_parens(*call.arguments[index]).node);
    return literal != nullptr ? std::optional(literal->value) : std::nullopt;
  };
  if (is_one_of("vector", "scalar", "label_replace", "label_join", "sort", "sort_desc", "sort_by_label",
                "sort_by_label_desc", "max_over_time", "min_over_time", "avg_over_time", "last_over_time",
                "first_over_time"))
    return number;
  if (name == "present_over_time") return 1;
  if (name == "abs") return std::abs(number);
  if (name == "sgn") return number > 0 ? 1 : number < 0 ? -1 : number;
  if (name == "ceil") return std::ceil(number);
  if (name == "floor") return std::floor(number);
  if (name == "clamp_min" || name == "clamp_max") {
    const auto limit = argument(1);
    if (!limit) return std::nullopt;
    return name == "clamp_min" ? std::max(number, *limit) : std::min(number, *limit);
  }
  if (name == "sum_over_time" && number == 0) return 0;
  return std::nullopt;
}

Outcome outcome_of(const Call& call) {
  const std::string_view name = call.function->name;
  if (name == "absent" || name == "absent_over_time") return absent(*call.arguments.front());
  const auto of_series = std::ranges::find_if(call.arguments, [](const ExpressionPtr& argument) {
    return argument->type == ValueType::vector || argument->type == ValueType::matrix;
  });
  if (of_series == call.arguments.end()) {
    if (name == "vector")
      return mapped(*call.arguments.front(), [](double number) { return std::optional(number); });
    return {};  // time() and its kin
  }
  Outcome outcome = mapped(**of_series, [&call](double number) { return apply(call, number); });
  if (name == "scalar" && outcome.kind == Kind::nothing) {
    outcome.kind = Kind::number;
    outcome.constant.number = std::numeric_limits<double>::quiet_NaN();
  }
  return outcome;
}

Outcome outcome_of(const Expression& expression) {
  const Expression& inner = without_parens(expression);
  if (const auto* number = std::get_if<NumberLiteral>(&inner.node))
    return {.kind = Kind::number, .constant = {.number = number->value}};
  if (std::holds_alternative<VectorSelector>(inner.node) ||
      std::holds_alternative<MatrixSelector>(inner.node))
    return {.kind = Kind::nothing, .selects = true};
  if (const auto* subquery = std::get_if<Subquery>(&inner.node)) return outcome_of(*subquery->expression);
  if (const auto* unary = std::get_if<Unary>(&inner.node)) {
    return mapped(*unary->operand, [unary](double number) {
      return std::optional(unary->op == TokenKind::sub ? -number : number);
    });
  }
  if (const auto* binary = std::get_if<Binary>(&inner.node)) return outcome_of(*binary);
  if (const auto* aggregation = std::get_if<Aggregation>(&inner.node)) return outcome_of(*aggregation);
  if (const auto* call = std::get_if<Call>(&inner.node)) return outcome_of(*call);
  return {};
}

}  // namespace

std::vector<ShapeFault> missing_series_faults(const Expression& query) {
  Outcome outcome = outcome_of(query);
  std::vector<ShapeFault> faults;
  for (const Constant& constant : missing_in(query, outcome)) {
    if (constant.number != 0) continue;
    faults.push_back(
        {constant.source->span,
         "with this the query is 0 even where its metrics are not scraped: the cluster is taken for not "
         "exposed then, and the update is recommended",
         "take the 0 from a series that every cluster has: 'QUERY or on () 0 * group(SERIES)'"});
  }
  return faults;
}

}  // namespace fairway::promql
