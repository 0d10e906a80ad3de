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

namespace fairway::promql {

namespace {

/// The labels of each sample of an expression, as far as the query fixes them.
struct FixedLabels {
  /// Without a value where it varies.
  std::map<std::string, std::optional<std::string>, std::less<>> known;
  /// Whether there are no others.
  bool complete = false;

  /// The value of a label that all samples have ("" where they lack it); std::nullopt: it may vary.
  std::optional<std::string> value_of(const std::string& label) const {
    if (const auto found = known.find(label); found != known.end()) return found->second;
    if (complete || label == "_id") return "";
    return std::nullopt;
  }
};

enum class Count { one, unknown, several };

/// What an expression gives.
struct Samples {
  Count count = Count::unknown;
  FixedLabels labels;
  /// What makes it several; empty otherwise.
  std::optional<ShapeFault> cause = {};
};

Samples samples_of(const Expression& expression);

FixedLabels labels_of(const VectorSelector& selector) {
  FixedLabels labels;
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

/// One sample for each value of the labels that a query groups by.
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

Samples samples_of(const Call& call) {
  const std::string_view name = call.function->name;
  if (name == "vector") return {Count::one, {.known = {}, .complete = true}};
  if (name == "absent" || name == "absent_over_time") return {Count::one, {}};
  const auto argument = std::ranges::find_if(call.arguments, [](const ExpressionPtr& one) {
    return one->type == ValueType::vector || one->type == ValueType::matrix;
  });
  if (argument == call.arguments.end()) return {Count::one, {.known = {}, .complete = true}};
  Samples samples = samples_of(**argument);
  if ((name == "label_replace" || name == "label_join") && call.arguments.size() >= 3) {
    const auto label = text_of(*call.arguments[1]);
    if (!label) {
      samples.labels = {};
      return samples;
    }
    // Without a source and a pattern the text is set in all samples.
    const bool always = name == "label_replace" && call.arguments.size() == 5 &&
                        text_of(*call.arguments[3]) == "" && text_of(*call.arguments[4]) == "";
    samples.labels.known[*label] = always ? text_of(*call.arguments[2]) : std::nullopt;
  } else if (name == "histogram_quantile" || name == "info") {
    samples.labels = {};
  }
  return samples;
}

/// Whether something in it leaves series away by their values or by other series.
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

/// Whether samples of the two sides are never told apart as one.
bool differ(const FixedLabels& left, const FixedLabels& right, const VectorMatching& matching) {
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

Samples either(const Binary& binary, Samples left, Samples right) {
  if (left.count == Count::several) return left;
  if (right.count == Count::several) return right;
  const bool exclusive = filters(*binary.lhs) && filters(*binary.rhs);  // each may be there without the other
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

bool has_selector(const Expression& expression) {
  bool found = std::holds_alternative<VectorSelector>(expression.node);
  for_each_child(expression, [&](const Expression& child) { found = found || has_selector(child); });
  return found;
}

/// Whether an expression is there without any series: numbers, and what tells that series are absent.
bool needs_no_series(const Expression& expression) {
  const Expression& inner = without_parens(expression);
  if (!has_selector(inner)) return true;
  if (const auto* call = std::get_if<Call>(&inner.node)) {
    if (call->function->name == "absent" || call->function->name == "absent_over_time") return true;
    return std::ranges::all_of(call->arguments,
                               [](const ExpressionPtr& argument) { return needs_no_series(*argument); });
  }
  if (const auto* unary = std::get_if<Unary>(&inner.node)) return needs_no_series(*unary->operand);
  if (const auto* aggregation = std::get_if<Aggregation>(&inner.node))
    return needs_no_series(*aggregation->expression);
  if (const auto* binary = std::get_if<Binary>(&inner.node)) {
    const bool left = needs_no_series(*binary->lhs), right = needs_no_series(*binary->rhs);
    return binary->op == TokenKind::or_set ? left || right : left && right;
  }
  return false;
}

std::optional<double> constant_of(const Expression& expression);

std::optional<double> constant_of(const Binary& binary) {
  using enum TokenKind;
  const auto left = constant_of(*binary.lhs), right = constant_of(*binary.rhs);
  // The other side may be anything.
  if (binary.op == mul && (left == 0.0 || right == 0.0)) return 0;
  if (!left || !right) return std::nullopt;
  if (binary.op == add) return *left + *right;
  if (binary.op == sub) return *left - *right;
  if (binary.op == mul) return *left * *right;
  return std::nullopt;
}

/// The value of all samples that there are, as far as can be seen: 0 of `vector(0)`, `0 * absent(x)` and
/// `1 - absent(x)`.
std::optional<double> constant_of(const Expression& expression) {
  const Expression& inner = without_parens(expression);
  if (const auto* number = std::get_if<NumberLiteral>(&inner.node)) return number->value;
  if (const auto* unary = std::get_if<Unary>(&inner.node)) {
    return constant_of(*unary->operand) == 0.0 ? std::optional(0.0) : std::nullopt;
  }
  if (const auto* binary = std::get_if<Binary>(&inner.node)) return constant_of(*binary);
  if (const auto* call = std::get_if<Call>(&inner.node)) {
    const std::string_view name = call->function->name;
    if (name == "absent" || name == "absent_over_time") return 1;
    const bool keeps =
        name == "vector" || name == "scalar" || name == "label_replace" || name == "label_join";
    return keeps && !call->arguments.empty() ? constant_of(*call->arguments.front()) : std::nullopt;
  }
  if (const auto* aggregation = std::get_if<Aggregation>(&inner.node)) {
    using enum TokenKind;
    if (aggregation->op == group) return 1;
    const auto constant = constant_of(*aggregation->expression);
    const bool keeps = aggregation->op == max || aggregation->op == min || aggregation->op == avg ||
                       aggregation->op == topk || aggregation->op == bottomk;
    return keeps || (aggregation->op == sum && constant == 0.0) ? constant : std::nullopt;
  }
  return std::nullopt;
}

void look_for_zeros(const Expression& expression, std::vector<ShapeFault>& faults) {
  const auto* binary = std::get_if<Binary>(&expression.node);
  if (binary != nullptr && binary->op == TokenKind::or_set && has_selector(*binary->lhs) &&
      needs_no_series(*binary->rhs) && constant_of(*binary->rhs) == 0.0) {
    faults.push_back(
        {binary->rhs->span,
         "this is 0 even where the metrics before it are not scraped: the cluster is taken for not exposed "
         "then, and the update is recommended",
         "take the 0 from a series that every cluster has: 'QUERY or 0 * group(SERIES)'"});
  }
  for_each_child(expression, [&](const Expression& child) { look_for_zeros(child, faults); });
}

}  // namespace

std::vector<ShapeFault> several_samples_faults(const Expression& query) {
  if (query.type != ValueType::vector) return {};
  Samples samples = samples_of(query);
  if (!samples.cause) return {};
  return {*std::move(samples.cause)};
}

std::vector<ShapeFault> missing_series_faults(const Expression& query) {
  std::vector<ShapeFault> faults;
  look_for_zeros(query, faults);
  return faults;
}

}  // namespace fairway::promql
