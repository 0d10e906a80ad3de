// SPDX-License-Identifier: Apache-2.0

#include "promql/guard/verdict_shape.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "promql/parser/go_text.h"
#include "promql/parser/printer.h"

namespace fairway::promql {

namespace {

/// Values that the samples of an expression can have, as far as operators determine them.
struct Values {
  bool zero = false, one = false, minus_one = false;
  bool other = false;    ///< at least one further number is certainly possible
  bool unknown = false;  ///< any value that the series have

  friend Values operator|(Values a, Values b) {
    return {a.zero || b.zero, a.one || b.one, a.minus_one || b.minus_one, a.other || b.other,
            a.unknown || b.unknown};
  }
  bool bits() const { return !minus_one && !other && !unknown; }
  bool only_zero() const { return bits() && zero && !one; }
  bool only_one() const { return bits() && one && !zero; }
  Values negated() const {
    return {.zero = zero, .one = minus_one, .minus_one = one, .other = other, .unknown = unknown};
  }
};

constexpr Values any_value{.unknown = true};
constexpr Values zero_or_one{.zero = true, .one = true};

Values values_of(double number) {
  if (number == 0) return {.zero = true};
  if (number == 1) return {.one = true};
  if (number == -1) return {.minus_one = true};
  return {.other = true};
}

Values values_of(const Expression& expression);

Values values_of(const Binary& binary) {
  const Values left = values_of(*binary.lhs), right = values_of(*binary.rhs);
  switch (binary.op) {
    case TokenKind::or_set:
      return left | right;
    case TokenKind::and_set:
    case TokenKind::unless_set:
      return left;
    case TokenKind::mul:
      if (left.only_zero() || right.only_zero()) return {.zero = true};
      if (left.bits() && right.bits()) return {.zero = left.zero || right.zero, .one = left.one && right.one};
      if (left.only_one()) return right;
      if (right.only_one()) return left;
      return any_value;
    default:
      break;
  }
  if (is_comparison(binary.op)) {
    if (binary.return_bool) return zero_or_one;
    // A filter passes the values of the vector, of two those of the left one; `== 1` leaves ones.
    const bool right_passes = binary.lhs->type == ValueType::scalar;
    const Expression& other = without_parens(right_passes ? *binary.lhs : *binary.rhs);
    const auto* number = std::get_if<NumberLiteral>(&other.node);
    if (binary.op == TokenKind::equal && number != nullptr) return values_of(number->value);
    return right_passes ? right : left;
  }
  return any_value;
}

Values values_of(const Aggregation& aggregation) {
  switch (aggregation.op) {
    case TokenKind::group:
      return {.one = true};
    case TokenKind::max:
    case TokenKind::min:
    case TokenKind::topk:
    case TokenKind::bottomk:
      return values_of(*aggregation.expression);
    case TokenKind::sum:
      // Zeros add up to zero; of anything else there may be several.
      return values_of(*aggregation.expression).only_zero() ? Values{.zero = true} : any_value;
    default:
      return any_value;
  }
}

Values values_of(const Call& call) {
  const std::string_view name = call.function->name;
  if (name == "absent" || name == "absent_over_time" || name == "present_over_time") return {.one = true};
  if ((name == "vector" || name == "scalar" || name == "label_replace" || name == "label_join" ||
       name == "sort" || name == "sort_desc") &&
      !call.arguments.empty()) {
    return values_of(*call.arguments.front());
  }
  if (name == "abs" && !call.arguments.empty()) {
    Values of = values_of(*call.arguments.front());
    of.one = of.one || of.minus_one;
    of.minus_one = false;
    return of;
  }
  return any_value;
}

Values values_of(const Unary& unary) {
  const Values of = values_of(*unary.operand);
  return unary.op == TokenKind::sub ? of.negated() : of;
}

Values values_of(const Expression& expression) {
  const Expression& inner = without_parens(expression);
  if (const auto* number = std::get_if<NumberLiteral>(&inner.node)) return values_of(number->value);
  if (const auto* binary = std::get_if<Binary>(&inner.node)) return values_of(*binary);
  if (const auto* aggregation = std::get_if<Aggregation>(&inner.node)) return values_of(*aggregation);
  if (const auto* call = std::get_if<Call>(&inner.node)) return values_of(*call);
  if (const auto* unary = std::get_if<Unary>(&inner.node)) return values_of(*unary);
  return any_value;
}

/// Returns whether one of two filters passes what the other removes: `a and on() b` and `a unless on() b`, or
/// `a > 0` and `a <= 0`.
bool complete_each_other(const Binary& one, const Binary& other) {
  using enum TokenKind;
  const auto are = [&](TokenKind a, TokenKind b) {
    return (one.op == a && other.op == b) || (one.op == b && other.op == a);
  };
  const bool sets = are(and_set, unless_set);
  if (!sets && !are(equal, not_equal) && !are(greater, less_equal) && !are(less, greater_equal)) return false;
  const auto same = [](const ExpressionPtr& a, const ExpressionPtr& b) {
    return print(without_parens(*a)) == print(without_parens(*b));
  };
  // Of `and` and `unless` the right sides decide; what they choose from is taken to be there.
  return one.matching == other.matching && same(one.rhs, other.rhs) && (sets || same(one.lhs, other.lhs));
}

/// Returns the operator that can leave a query without any sample: a comparison that filters, `unless`, or
/// `and`. nullptr if there is none, or if an `or` has a sample in its place.
const Binary* find_filter(const Expression& expression) {
  const Expression& inner = without_parens(expression);
  if (const auto* binary = std::get_if<Binary>(&inner.node)) {
    const Binary* left = find_filter(*binary->lhs);
    const Binary* right = find_filter(*binary->rhs);
    if (binary->op == TokenKind::or_set) {
      if (left == nullptr || right == nullptr || complete_each_other(*left, *right)) return nullptr;
      return left;
    }
    const bool filters = is_comparison(binary->op) && !binary->return_bool;
    if (filters || binary->op == TokenKind::unless_set) return binary;
    if (left != nullptr || right != nullptr) return left != nullptr ? left : right;
    return binary->op == TokenKind::and_set ? binary : nullptr;
  }
  if (const auto* call = std::get_if<Call>(&inner.node);
      call != nullptr && (call->function->name == "absent" || call->function->name == "absent_over_time")) {
    return nullptr;  // nothing becomes something here
  }
  if (const auto* aggregation = std::get_if<Aggregation>(&inner.node))
    return find_filter(*aggregation->expression);
  const Binary* found = nullptr;
  for_each_child(inner, [&found](const Expression& child) {
    if (found == nullptr) found = find_filter(child);
  });
  return found;
}

/// Returns the part of an expression that determines which series it has. It skips operators with numbers and
/// functions that keep each series, and with `take_some` also those that drop some series.
const Expression& series_of(const Expression& expression, bool take_some) {
  const Expression& inner = without_parens(expression);
  if (const auto* unary = std::get_if<Unary>(&inner.node)) return series_of(*unary->operand, take_some);
  if (const auto* call = std::get_if<Call>(&inner.node)) {
    const std::string_view name = call->function->name;
    return name == "sort" || name == "sort_desc" || name == "abs"
               ? series_of(*call->arguments.front(), take_some)
               : inner;
  }
  const auto* binary = std::get_if<Binary>(&inner.node);
  if (binary == nullptr) return inner;
  if (binary->op == TokenKind::and_set || binary->op == TokenKind::unless_set)
    return take_some ? series_of(*binary->lhs, true) : inner;
  const bool filters = is_comparison(binary->op) && !binary->return_bool;
  if (filters && !take_some) return inner;
  if (binary->rhs->type == ValueType::scalar) return series_of(*binary->lhs, take_some);
  if (binary->lhs->type == ValueType::scalar) return series_of(*binary->rhs, take_some);
  return inner;
}

/// Returns whether a selector finds every series that another finds.
bool covers(const VectorSelector& wide, const VectorSelector& narrow) {
  return wide.time == narrow.time && std::ranges::all_of(wide.matchers, [&narrow](const Matcher& matcher) {
           return std::ranges::find(narrow.matchers, matcher) != narrow.matchers.end();
         });
}

/// Returns the range that `max_over_time(a[1h])` and similar functions read, with one result for each series;
/// nullptr for other calls.
const MatrixSelector* range_of(const Call& call) {
  const std::string_view name = call.function->name;
  if (!name.ends_with("_over_time") || name == "absent_over_time" || call.arguments.size() != 1)
    return nullptr;
  return std::get_if<MatrixSelector>(&without_parens(*call.arguments.front()).node);
}

/// Returns whether an expression has a series, with the same labels, for each that another can have.
bool covers(const Expression& wide, const Expression& narrow) {
  const Expression& all = series_of(wide, false);
  const Expression& some = series_of(narrow, true);
  if (const auto* selector = std::get_if<VectorSelector>(&all.node)) {
    const auto* other = std::get_if<VectorSelector>(&some.node);
    return other != nullptr && covers(*selector, *other);
  }
  const auto* call = std::get_if<Call>(&all.node);
  const auto* called = std::get_if<Call>(&some.node);
  if (call != nullptr && called != nullptr) {
    const MatrixSelector* range = range_of(*call);
    const MatrixSelector* other = range_of(*called);
    return range != nullptr && other != nullptr && range->range == other->range &&
           covers(std::get<VectorSelector>(range->selector->node),
                  std::get<VectorSelector>(other->selector->node));
  }
  const auto* aggregated = std::get_if<Aggregation>(&some.node);
  const auto gives_one_a_group = [](const Aggregation& aggregation) {
    using enum TokenKind;
    return aggregation.op == group || aggregation.op == max || aggregation.op == min ||
           aggregation.op == sum || aggregation.op == count || aggregation.op == avg;
  };
  if (aggregated == nullptr || !gives_one_a_group(*aggregated)) return false;
  if (const auto* aggregation = std::get_if<Aggregation>(&all.node)) {
    return gives_one_a_group(*aggregation) && aggregation->without == aggregated->without &&
           aggregation->grouping == aggregated->grouping &&
           covers(*aggregation->expression, *aggregated->expression);
  }
  // vector(0) has no labels, and nor has what is aggregated by none.
  return call != nullptr && call->function->name == "vector" && !aggregated->without &&
         aggregated->grouping.empty();
}

/// Collects the sides of `a or b or c`, which match alike, with the operators before them (nullptr for the
/// first).
void sides_of(const Expression& expression, const Binary& last,
              std::vector<std::pair<const Binary*, const Expression*>>& sides) {
  const Expression& inner = without_parens(expression);
  const auto* binary = std::get_if<Binary>(&inner.node);
  if (binary == nullptr || binary->op != TokenKind::or_set || binary->matching != last.matching) {
    sides.emplace_back(nullptr, &inner);
    return;
  }
  sides_of(*binary->lhs, last, sides);
  sides.emplace_back(binary, binary->rhs.get());
}

/// Finds an `or` whose right side is never used: it counts only if the left side has no sample, so a 0 on the
/// left is the result.
void look_for_hidden_sides(const Expression& expression, std::vector<ShapeFault>& faults) {
  const auto* binary = std::get_if<Binary>(&expression.node);
  if (binary != nullptr && binary->op == TokenKind::or_set) {
    std::vector<std::pair<const Binary*, const Expression*>> sides;
    sides_of(*binary->lhs, *binary, sides);
    const bool is_hidden =
        !values_of(*binary->rhs).only_zero() && std::ranges::any_of(sides, [binary](const auto& side) {
          return values_of(*side.second).only_zero() && covers(*side.second, *binary->rhs);
        });
    if (is_hidden) {
      faults.push_back(
          {binary->op_span,
           "the 0 before this 'or' is there whenever what follows it is: that never counts, and the "
           "risk matters to no cluster",
           "write the 0 last: 'QUERY or on () 0 * group(SERIES THAT EVERY CLUSTER HAS)'"});
    }
  }
  for_each_child(expression, [&faults](const Expression& child) { look_for_hidden_sides(child, faults); });
}

/// Returns a selector whose matchers choose the clusters that the risk matters to: it finds nothing on the
/// others. A matcher that requires a label to be absent (`_id=""`) says nothing about the cluster.
const Expression* find_bare_selector(const Expression& root) {
  const Expression& inner = without_parens(root);
  if (const auto* call = std::get_if<Call>(&inner.node);
      call != nullptr && (call->function->name == "sort" || call->function->name == "sort_desc")) {
    return find_bare_selector(*call->arguments.front());
  }
  const auto* selector = std::get_if<VectorSelector>(&inner.node);
  const bool chooses =
      selector != nullptr && std::ranges::any_of(selector->matchers, [](const Matcher& matcher) {
        return matcher.name() != metric_name_label &&
               !(matcher.kind() == Matcher::Kind::equal && matcher.value().empty());
      });
  return chooses ? &inner : nullptr;
}

const std::string add_no_branch =
    "add what gives 0 there: 'QUERY or on () 0 * group(SERIES THAT EVERY CLUSTER HAS)'";

void look_at_vector(const Expression& root, std::vector<ShapeFault>& faults) {
  const Values values = values_of(root);
  if (const Binary* filter = find_filter(root)) {
    const bool compares = is_comparison(filter->op);
    faults.push_back(
        {filter->op_span,
         compares
             ? "where this comparison does not hold it gives nothing, not 0: the evaluation fails there, "
               "and the risk stays unknown"
             : "what this takes away leaves nothing, not 0: the evaluation fails there, and the risk stays "
               "unknown",
         (compares ? "write '" + std::string(spelling(filter->op)) + " bool', or " : std::string()) +
             add_no_branch});
    return;
  }
  if (const Expression* selector = find_bare_selector(root)) {
    faults.push_back(
        {selector->span,
         "where no series matches this gives nothing, not 0: the evaluation fails there, and the "
         "risk stays unknown",
         add_no_branch});
  } else if (values.only_one()) {
    faults.push_back(
        {root.span,
         "this can only give 1: where the risk does not matter it gives nothing, and the evaluation fails",
         add_no_branch});
  } else if (values.only_zero()) {
    faults.push_back({root.span, "this can only give 0: the risk matters to no cluster",
                      "add what gives 1 where it does, or drop the risk"});
  } else if (values.minus_one || values.other) {
    faults.push_back({root.span, "this can give a number that is neither 0 nor 1: the evaluation fails then",
                      "bring it to 0 or 1: 'QUERY > bool 0'"});
  } else if (const auto* aggregation = std::get_if<Aggregation>(&without_parens(root).node);
             aggregation != nullptr &&
             (aggregation->op == TokenKind::count || aggregation->op == TokenKind::sum) && values.unknown) {
    faults.push_back({root.span,
                      "a " + std::string(spelling(aggregation->op)) +
                          " can be any number: where it is neither 0 nor 1 the evaluation fails",
                      "bring it to 0 or 1: 'QUERY > bool 0', or use group or max"});
  }
}

/// Returns whether a value looks like a regular expression. Words in parentheses or brackets are more likely
/// names of products and addresses, unless they are repeated or alternatives. A text that is not a regular
/// expression was not meant as one.
bool looks_like_regex(const std::string& value) {
  static const re2::RE2 signs(R"([|\\]|\.[*+]|[)\]][*+?]|\[\^?\w-\w|^\^|[$*?]$)");
  if (!re2::RE2::PartialMatch(value, signs)) return false;
  re2::RE2::Options quiet;
  quiet.set_log_errors(false);
  return re2::RE2(value, quiet).ok();
}

void look_for_equality(const Expression& expression, std::vector<ShapeFault>& faults) {
  if (const auto* selector = std::get_if<VectorSelector>(&expression.node)) {
    for (const Matcher& matcher : selector->matchers) {
      const bool equal = matcher.kind() == Matcher::Kind::equal;
      if (!equal && matcher.kind() != Matcher::Kind::not_equal) continue;
      if (!looks_like_regex(matcher.value())) continue;
      const std::string text = quote(matcher.value());
      faults.push_back({expression.span,
                        matcher.name() + (equal ? "=" : "!=") + text +
                            " compares with that very text, which looks like a regular expression",
                        "write " + matcher.name() + (equal ? "=~" : "!~") + text});
    }
  }
  for_each_child(expression, [&faults](const Expression& child) { look_for_equality(child, faults); });
}

}  // namespace

std::vector<ShapeFault> verdict_shape_faults(const Expression& query) {
  std::vector<ShapeFault> faults;
  if (query.type == ValueType::vector) {
    look_at_vector(query, faults);
    look_for_hidden_sides(query, faults);
  } else {
    faults.push_back({query.span,
                      "this gives a " + std::string(to_string(query.type)) +
                          ", not an instant vector: the evaluation fails on every cluster",
                      query.type == ValueType::scalar ? "write 'vector(...)' around it"
                                                      : "write a query that gives one sample"});
  }
  return faults;
}

std::vector<ShapeFault> equality_faults(const Expression& query) {
  std::vector<ShapeFault> faults;
  look_for_equality(query, faults);
  return faults;
}

}  // namespace fairway::promql
