// SPDX-License-Identifier: Apache-2.0

#include "promql/guard/result_samples.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/go_text.h"
#include "base/text.h"
#include "promql/engine/labels.h"
#include "promql/parser/matcher.h"

namespace fairway::promql {

namespace {

/// The labels of each sample of an expression, as far as the query fixes them.
struct FixedLabels {
  /// Values of labels; std::nullopt if the value varies.
  std::map<std::string, std::optional<std::string>, std::less<>> known;
  /// True if there are no other labels.
  bool complete = false;
  /// True if there certainly are other labels: a scraped series has those of its target.
  bool scraped = false;

  /// Returns the value of a label that all samples have ("" if they lack it); std::nullopt: it may vary.
  std::optional<std::string> value_of(const std::string& label) const {
    if (const auto found = known.find(label); found != known.end()) return found->second;
    if (complete || label == "_id") return "";
    return std::nullopt;
  }

  /// Returns whether no sample has any label.
  bool none() const {
    return complete && std::ranges::all_of(known, [](const auto& label) { return label.second == ""; });
  }
};

enum class Count { one, unknown, several };

/// The samples that an expression returns.
struct Samples {
  Count count = Count::unknown;
  FixedLabels labels;
  /// Construct that makes it several samples; empty otherwise.
  std::optional<ShapeFault> cause = {};
};

Samples samples_of(const Expression& expression);

FixedLabels labels_of(const VectorSelector& selector) {
  FixedLabels labels;
  // Series of a recording rule have whatever labels the rule leaves.
  labels.scraped = selector.name.find(':') == std::string::npos;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.kind() == Matcher::Kind::equal && matcher.name() != metric_name_label)
      labels.known[matcher.name()] = matcher.value();
  }
  return labels;
}

Samples several(const Expression& expression, std::string what, FixedLabels labels) {
  return {Count::several, std::move(labels),
          ShapeFault{expression.span, std::move(what) + ": the evaluation fails where it gives more than one",
                     "leave one of them: 'topk(1, QUERY)', or 'max(QUERY)'"}};
}

/// Returns the samples of an aggregation: one for each value of the labels that it groups by.
Samples grouped(const Expression& expression, const Aggregation& aggregation, const Samples& inner) {
  Samples samples;
  samples.labels.complete = true;
  std::vector<std::string> varying;
  for (const std::string& label : aggregation.grouping) {
    samples.labels.known[label] = inner.labels.value_of(label);
    if (!samples.labels.known[label]) varying.push_back(label);
  }
  if (varying.empty() || inner.count == Count::one) {
    samples.count = Count::one;
    return samples;
  }
  return several(expression, "this gives a sample for each value of " + join(varying, ", "),
                 std::move(samples.labels));
}

Samples samples_of(const Expression& expression, const Aggregation& aggregation) {
  Samples inner = samples_of(*aggregation.expression);
  const auto chooses = [&](TokenKind op) { return aggregation.op == op; };
  if (chooses(TokenKind::topk) || chooses(TokenKind::bottomk)) {
    const auto* number = std::get_if<NumberLiteral>(&without_parens(*aggregation.parameter).node);
    if (inner.count == Count::one || number == nullptr || aggregation.without) return inner;
    if (number->value >= 2) {
      return several(expression, "this gives up to " + go_plain_number(number->value) + " samples",
                     inner.labels);
    }
    Samples chosen = grouped(expression, aggregation, inner);
    chosen.labels = std::move(inner.labels);
    return chosen;
  }
  if (chooses(TokenKind::count_values)) {
    if (inner.count == Count::one) return {Count::one, {}};
    return several(expression, "this gives a sample for each value", {});
  }
  if (aggregation.without) return {inner.count == Count::one ? Count::one : Count::unknown, {}};
  return grouped(expression, aggregation, inner);
}

std::optional<std::string> text_of(const Expression& expression) {
  const auto* text = std::get_if<StringLiteral>(&without_parens(expression).node);
  return text == nullptr ? std::nullopt : std::optional(text->value);
}

/// Returns the labels of absent(): those that its selector requires to equal one value.
FixedLabels labels_of_absent(const Expression& argument) {
  FixedLabels labels{.known = {}, .complete = true};
  const Expression& inner = without_parens(argument);
  const Expression* selector = &inner;
  if (const auto* matrix = std::get_if<MatrixSelector>(&inner.node)) selector = matrix->selector.get();
  const auto* found = std::get_if<VectorSelector>(&selector->node);
  if (found == nullptr) return labels;
  std::map<std::string_view, int> asked;
  for (const Matcher& matcher : found->matchers) ++asked[matcher.name()];
  for (const Matcher& matcher : found->matchers) {
    if (matcher.name() == metric_name_label) continue;
    // It depends on the Prometheus which of several matchers of a label decides.
    if (asked[matcher.name()] > 1) {
      labels.known[matcher.name()] = std::nullopt;
    } else if (matcher.kind() == Matcher::Kind::equal) {
      labels.known[matcher.name()] = matcher.value();
    }
  }
  return labels;
}

/// Applies label_replace to the labels.
void replace_label(const Call& call, FixedLabels& labels) {
  const auto label = text_of(*call.arguments[1]), replacement = text_of(*call.arguments[2]);
  const auto source = text_of(*call.arguments[3]), pattern = text_of(*call.arguments[4]);
  if (!label || !replacement || !source || !pattern) {
    labels = {};
    return;
  }
  const auto expression = Replacement::make(*pattern, Dialect::prometheus3);
  // A source without a name is empty.
  const std::optional<std::string> value =
      source->empty() ? std::optional(std::string()) : labels.value_of(*source);
  std::optional<std::string> result;
  std::string expanded;
  if (expression && value) {
    result =
        expression->apply(*value, *replacement, expanded) ? std::move(expanded) : labels.value_of(*label);
  } else if (*pattern == ".*" && !replacement->contains('$')) {
    result = *replacement;  // whatever the source is
  }
  labels.known[*label] = std::move(result);
}

Samples samples_of(const Call& call) {
  const std::string_view name = call.function->name;
  if (name == "vector") return {Count::one, {.known = {}, .complete = true}};
  if (name == "absent" || name == "absent_over_time")
    return {Count::one, labels_of_absent(*call.arguments.front())};
  const auto argument = std::ranges::find_if(call.arguments, [](const ExpressionPtr& one) {
    return one->type == ValueType::vector || one->type == ValueType::matrix;
  });
  if (argument == call.arguments.end()) return {Count::one, {.known = {}, .complete = true}};
  Samples samples = samples_of(**argument);
  if (name == "label_replace" && call.arguments.size() == 5) {
    replace_label(call, samples.labels);
  } else if (name == "label_join" && call.arguments.size() >= 3) {
    if (const auto label = text_of(*call.arguments[1])) {
      samples.labels.known[*label] = std::nullopt;
    } else {
      samples.labels = {};
    }
  } else if (name == "histogram_quantile" || name == "info") {
    samples.labels = {};
  }
  return samples;
}

/// Returns whether something in it drops series because of their values or of other series.
bool filters(const Expression& expression) {
  if (const auto* binary = std::get_if<Binary>(&expression.node)) {
    using enum TokenKind;
    if (binary->op == and_set || binary->op == unless_set ||
        (is_comparison(binary->op) && !binary->return_bool))
      return true;
  }
  bool found = false;
  for_each_child(expression, [&](const Expression& child) { found = found || filters(child); });
  return found;
}

/// Returns whether samples of the two sides never match.
bool differ(const FixedLabels& left, const FixedLabels& right, const VectorMatching& matching) {
  if (!matching.on && matching.labels.empty() &&
      ((left.none() && right.scraped) || (left.scraped && right.none())))
    return true;
  std::vector<std::string> names;
  if (matching.on) {
    names = matching.labels;
  } else {
    for (const auto* side : {&left, &right}) {
      for (const auto& [name, value] : side->known) {
        if (std::ranges::find(matching.labels, name) == matching.labels.end()) names.push_back(name);
      }
    }
  }
  return std::ranges::any_of(names, [&](const std::string& name) {
    const auto one = left.value_of(name), other = right.value_of(name);
    return one && other && *one != *other;
  });
}

/// Returns the selector that an expression asserts to find nothing: x of `0 * absent(x)`; nullptr if there is
/// none.
const VectorSelector* absent_in(const Expression& expression) {
  const Expression& inner = without_parens(expression);
  if (const auto* call = std::get_if<Call>(&inner.node);
      call != nullptr && call->function->name == "absent") {
    return std::get_if<VectorSelector>(&without_parens(*call->arguments.front()).node);
  }
  if (const auto* binary = std::get_if<Binary>(&inner.node); binary != nullptr && !binary->matching)
    return absent_in(binary->lhs->type == ValueType::scalar ? *binary->rhs : *binary->lhs);
  if (const auto* aggregation = std::get_if<Aggregation>(&inner.node))
    return absent_in(*aggregation->expression);
  return nullptr;
}

/// Returns whether an expression has samples only if a selector finds something.
bool needs(const Expression& expression, const VectorSelector& wanted) {
  const Expression& inner = without_parens(expression);
  if (const auto* selector = std::get_if<VectorSelector>(&inner.node)) {
    return selector->time == wanted.time && std::ranges::all_of(wanted.matchers, [&](const Matcher& matcher) {
             return std::ranges::find(selector->matchers, matcher) != selector->matchers.end();
           });
  }
  if (const auto* binary = std::get_if<Binary>(&inner.node)) {
    const bool left = needs(*binary->lhs, wanted);
    using enum TokenKind;
    if (binary->op == unless_set) return left;
    const bool right = needs(*binary->rhs, wanted);
    return binary->op == or_set ? left && right : left || right;
  }
  if (const auto* aggregation = std::get_if<Aggregation>(&inner.node))
    return needs(*aggregation->expression, wanted);
  if (const auto* call = std::get_if<Call>(&inner.node)) {
    const std::string_view name = call->function->name;
    return (name == "label_replace" || name == "label_join" || name.starts_with("sort")) &&
           needs(*call->arguments.front(), wanted);
  }
  return false;
}

/// Returns whether one side has samples only if the other has none, because it needs what the other asserts
/// to be absent.
bool needs_what_is_absent(const Expression& side, const Expression& other) {
  const VectorSelector* absent = absent_in(other);
  return absent != nullptr && needs(side, *absent);
}

Samples either(const Binary& binary, Samples left, Samples right) {
  if (left.count == Count::several) return left;
  if (right.count == Count::several) return right;
  // Each may be there without the other.
  const bool exclusive = (filters(*binary.lhs) && filters(*binary.rhs)) ||
                         needs_what_is_absent(*binary.lhs, *binary.rhs) ||
                         needs_what_is_absent(*binary.rhs, *binary.lhs);
  if (!exclusive && differ(left.labels, right.labels, *binary.matching)) {
    return {Count::several,
            {},
            ShapeFault{binary.op_span,
                       "the sides of this 'or' have different labels: where both are there it gives two "
                       "samples, and the evaluation fails",
                       "write 'or on ()', which takes the right side only where the left one is empty"}};
  }
  Samples both;
  if (left.count == Count::one && right.count == Count::one) {
    const bool same = binary.matching->on ? std::ranges::all_of(binary.matching->labels,
                                                                [&](const std::string& label) {
                                                                  return left.labels.value_of(label) &&
                                                                         right.labels.value_of(label);
                                                                })
                                          : left.labels.complete && right.labels.complete;
    if (same) both.count = Count::one;
  }
  both.labels.complete = left.labels.complete && right.labels.complete;
  both.labels.scraped = left.labels.scraped && right.labels.scraped;
  for (const auto* side : {&left.labels, &right.labels}) {
    for (const auto& [name, value] : side->known) {
      const auto one = left.labels.value_of(name), other = right.labels.value_of(name);
      both.labels.known[name] = one == other ? one : std::nullopt;
    }
  }
  return both;
}

Samples samples_of(const Binary& binary) {
  if (!binary.matching) return samples_of(binary.lhs->type == ValueType::scalar ? *binary.rhs : *binary.lhs);
  Samples left = samples_of(*binary.lhs), right = samples_of(*binary.rhs);
  using enum TokenKind;
  if (binary.op == or_set) return either(binary, std::move(left), std::move(right));
  if (binary.op == and_set || binary.op == unless_set) return left;
  const VectorMatching& matching = *binary.matching;
  if (matching.cardinality == VectorMatching::Cardinality::many_to_one ||
      matching.cardinality == VectorMatching::Cardinality::one_to_many) {
    Samples many =
        matching.cardinality == VectorMatching::Cardinality::many_to_one ? std::move(left) : std::move(right);
    for (const std::string& label : matching.include) many.labels.known[label] = std::nullopt;
    return many;
  }
  // Each sample has one of either side.
  Samples fewer = right.count < left.count ? std::move(right) : std::move(left);
  const bool alone = matching.on && std::ranges::all_of(matching.labels, [&](const std::string& label) {
                       return fewer.labels.value_of(label).has_value();
                     });
  if (alone) fewer = {Count::one, {}};
  if (matching.on || !matching.labels.empty()) fewer.labels = {};
  return fewer;
}

Samples samples_of(const Expression& expression) {
  const Expression& inner = without_parens(expression);
  if (const auto* selector = std::get_if<VectorSelector>(&inner.node))
    return {Count::unknown, labels_of(*selector)};
  if (const auto* matrix = std::get_if<MatrixSelector>(&inner.node)) return samples_of(*matrix->selector);
  if (const auto* subquery = std::get_if<Subquery>(&inner.node)) {
    // Over time the labels may be others.
    Samples samples = samples_of(*subquery->expression);
    if (samples.count == Count::one && !samples.labels.complete) samples.count = Count::unknown;
    return samples;
  }
  if (const auto* unary = std::get_if<Unary>(&inner.node)) return samples_of(*unary->operand);
  if (const auto* binary = std::get_if<Binary>(&inner.node)) return samples_of(*binary);
  if (const auto* aggregation = std::get_if<Aggregation>(&inner.node)) return samples_of(inner, *aggregation);
  if (const auto* call = std::get_if<Call>(&inner.node)) return samples_of(*call);
  return {Count::one, {.known = {}, .complete = true}};
}

}  // namespace

std::vector<ShapeFault> several_samples_faults(const Expression& query) {
  if (query.type != ValueType::vector) return {};
  Samples samples = samples_of(query);
  if (!samples.cause) return {};
  return {*std::move(samples.cause)};
}

}  // namespace fairway::promql
