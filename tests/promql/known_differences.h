// SPDX-License-Identifier: Apache-2.0

// Known differences between Prometheus and the engine, with their reasons: docs/promql-compatibility.md lists
// them for people.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "promql/answers.h"
#include "promql/parser/parser.h"

namespace fairway::promql::testing {

namespace details {

template <class Says>
bool any_of_tree(const Expression& expression, const Says& says) {
  bool found = says(expression);
  for_each_child(expression, [&](const Expression& child) { found = found || any_of_tree(child, says); });
  return found;
}

inline bool is_operation(const Expression& expression, TokenKind op) {
  const auto* binary = std::get_if<Binary>(&expression.node);
  return binary != nullptr && binary->op == op;
}

inline bool is_call(const Expression& expression, std::initializer_list<std::string_view> names) {
  const auto* call = std::get_if<Call>(&expression.node);
  return call != nullptr && std::ranges::find(names, call->function->name) != names.end();
}

/// Returns whether a result depends on the last digits of a number, as where a remainder starts again at 0.
inline bool is_periodic(const Expression& expression) {
  return is_operation(expression, TokenKind::mod) || is_call(expression, {"sin", "cos", "tan"});
}

/// Returns whether a result differs in the last digit, as the mathematical functions of two languages do.
inline bool is_inexact(const Expression& expression) {
  return is_operation(expression, TokenKind::pow) || is_operation(expression, TokenKind::atan2) ||
         is_call(expression, {"exp", "sinh", "cosh", "sin", "cos", "tan", "asin", "acos", "atan", "tanh",
                              "asinh", "acosh", "atanh", "ln", "log2", "log10"});
}

/// Returns whether a result measures differences, which may be in the last digits only.
inline bool is_spread(const Expression& expression) {
  const auto* aggregation = std::get_if<Aggregation>(&expression.node);
  return is_call(expression, {"stddev_over_time", "stdvar_over_time", "deriv", "delta", "idelta"}) ||
         (aggregation != nullptr &&
          (aggregation->op == TokenKind::stddev || aggregation->op == TokenKind::stdvar));
}

inline bool is_count_values(const Expression& expression) {
  const auto* aggregation = std::get_if<Aggregation>(&expression.node);
  return aggregation != nullptr && aggregation->op == TokenKind::count_values;
}

inline bool is_quantile(const Expression& expression) {
  const auto* aggregation = std::get_if<Aggregation>(&expression.node);
  return is_call(expression, {"quantile_over_time"}) ||
         (aggregation != nullptr && aggregation->op == TokenKind::quantile);
}

/// Returns whether it is timestamp() of a selector with @ and offset.
inline bool is_timestamp_elsewhere(const Expression& expression) {
  if (!is_call(expression, {"timestamp"})) return false;
  const Expression& argument = without_parens(*std::get<Call>(expression.node).arguments[0]);
  const auto* selector = std::get_if<VectorSelector>(&argument.node);
  return selector != nullptr && selector->time.anchor != TimeShift::Anchor::none &&
         selector->time.offset != 0;
}

/// Returns whether it is topk() or bottomk(), which may cut off equals.
inline bool is_cut(const Expression& expression) {
  const auto* aggregation = std::get_if<Aggregation>(&expression.node);
  return aggregation != nullptr &&
         (aggregation->op == TokenKind::topk || aggregation->op == TokenKind::bottomk);
}

/// Returns whether it gives equals an order of its own: Go's sort is not stable.
inline bool is_sort(const Expression& expression) {
  return is_call(expression, {"sort", "sort_desc"});
}

/// Returns whether it is predict_linear() of a range with @.
inline bool is_fixed_prediction(const Expression& expression) {
  if (!is_call(expression, {"predict_linear"})) return false;
  const Expression& range = without_parens(*std::get<Call>(expression.node).arguments[0]);
  if (const auto* matrix = std::get_if<MatrixSelector>(&range.node))
    return std::get<VectorSelector>(matrix->selector->node).time.anchor != TimeShift::Anchor::none;
  return std::get<Subquery>(range.node).time.anchor != TimeShift::Anchor::none;
}

}  // namespace details

/// Returns the reason why two answers to a query may differ; empty if they may not.
inline std::string known_difference(const std::string& query, const Answer& theirs, const Answer& ours,
                                    Dialect dialect) {
  using namespace details;
  const auto parsed = parse(query, dialect);
  if (!parsed) {
    const bool both = theirs.error_type == "bad_data" && ours.error_type == "bad_data";
    const bool refused = ours.error.find("duration expression is not enabled") != std::string::npos ||
                         query.find("offset -") != std::string::npos;
    return dialect == Dialect::prometheus3 && both && refused
               ? "another fault beside an experimental duration"
               : "";
  }
  const auto contains = [&](const auto& outer, const auto& inner) {
    return any_of_tree(**parsed,
                       [&](const Expression& part) { return outer(part) && any_of_tree(part, inner); });
  };
  const auto is_subquery = [](const Expression& part) { return std::holds_alternative<Subquery>(part.node); };
  const auto is_whole = [&](const Expression& part) { return &part == parsed->get(); };
  if (contains(is_periodic, is_inexact)) return "the remainder of what differs in its last digits";
  if (contains(is_spread, is_inexact)) return "the spread of what differs in its last digits";
  if (contains(is_whole, is_timestamp_elsewhere)) return "timestamp() of a selector with @ and offset";
  if (any_of_tree(**parsed, is_subquery) && theirs.error_type == "execution" && ours.empty())
    return "an error that only steps would have that no window contains";
  if (contains(is_cut, is_sort)) return "topk() or bottomk() of equals that were sorted";
  if (dialect == Dialect::prometheus2 && theirs.error == "unexpected number of samples" &&
      (*parsed)->type == ValueType::matrix)
    return "a range with @ in parentheses";
  const bool errors = theirs.error_type == "execution" && ours.error_type == "execution";
  constexpr std::string_view pair = "found duplicate series for the match group";
  if (theirs.error.starts_with(pair) && ours.error.starts_with(pair))
    return "another pair of series is named";
  if (errors && contains(is_whole, is_subquery)) return "another of several faults in a subquery";
  if (contains(is_subquery, is_fixed_prediction)) return "predict_linear() of a range with @ in a subquery";
  if (contains(is_subquery, is_cut) || contains(is_cut, is_subquery))
    return "topk() or bottomk() with a subquery";
  if (contains(is_cut, is_count_values)) return "topk() or bottomk() of count_values()";
  if (contains(is_whole, is_quantile)) return "which of two zeros a quantile is";
  if (contains(is_count_values, is_inexact)) return "count_values() of what differs in its last digits";
  return "";
}

}  // namespace fairway::promql::testing
