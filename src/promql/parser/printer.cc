// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/printer.h"

#include <algorithm>
#include <cmath>

#include "base/go_text.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

std::string print_labels(const std::vector<std::string>& labels) {
  std::string out = "(";
  for (const std::string& label : labels) {
    if (out.size() > 1) out += ", ";
    out += is_plain_label_name(label) ? label : quote(label);
  }
  return out + ")";
}

std::string print_shift(const TimeShift& time) {
  std::string out;
  switch (time.anchor) {
    case TimeShift::Anchor::none:
      break;
    case TimeShift::Anchor::timestamp:
      out += " @ " + format_fixed(static_cast<double>(time.timestamp) / 1000, 3);
      break;
    case TimeShift::Anchor::start:
      out += " @ start()";
      break;
    case TimeShift::Anchor::end:
      out += " @ end()";
      break;
  }
  if (time.offset != 0) out += " offset " + print_duration(time.offset);
  return out;
}

std::string print_selector(const VectorSelector& selector) {
  std::vector<std::string> matchers;
  for (const Matcher& matcher : selector.matchers) {
    const bool is_the_name = matcher.name() == metric_name_label && matcher.kind() == Matcher::Kind::equal &&
                             matcher.value() == selector.name && !matcher.value().empty();
    if (!is_the_name) matchers.push_back(matcher.to_string());
  }
  if (matchers.empty()) return selector.name.empty() ? "{}" : selector.name;
  std::ranges::sort(matchers);
  std::string out = selector.name + "{";
  for (std::size_t i = 0; i < matchers.size(); ++i) {
    if (i > 0) out += ',';
    out += matchers[i];
  }
  return out + "}";
}

std::string print_matching(const VectorMatching& matching) {
  using Cardinality = VectorMatching::Cardinality;
  const bool grouped =
      matching.cardinality == Cardinality::many_to_one || matching.cardinality == Cardinality::one_to_many;
  std::string out;
  if (!matching.labels.empty() || matching.on || grouped)
    out += (matching.on ? " on " : " ignoring ") + print_labels(matching.labels);
  if (grouped) {
    out += matching.cardinality == Cardinality::many_to_one ? " group_left " : " group_right ";
    out += print_labels(matching.include);
  }
  return out;
}

struct Printer {
  Dialect dialect;

  std::string print(const Expression& expression) const { return std::visit(*this, expression.node); }

  std::string operator()(const NumberLiteral& number) const {
    if (!number.duration)
      return dialect == Dialect::prometheus3 ? go_plain_number(number.value) : go_number(number.value);
    // The value in seconds comes from whole milliseconds, which 1e9 times it may miss.
    return print_duration(std::llround(number.value * 1000) * 1'000'000);
  }

  std::string operator()(const StringLiteral& string) const { return quote(string.value); }

  std::string operator()(const VectorSelector& selector) const {
    return print_selector(selector) + print_shift(selector.time);
  }

  std::string operator()(const MatrixSelector& matrix) const {
    const auto& selector = std::get<VectorSelector>(matrix.selector->node);
    return print_selector(selector) + "[" + print_duration(matrix.range) + "]" + print_shift(selector.time);
  }

  std::string operator()(const Subquery& subquery) const {
    return print(*subquery.expression) + "[" + print_duration(subquery.range) + ":" +
           (subquery.step == 0 ? "" : print_duration(subquery.step)) + "]" + print_shift(subquery.time);
  }

  std::string operator()(const Paren& paren) const { return "(" + print(*paren.expression) + ")"; }

  std::string operator()(const Unary& unary) const {
    return std::string(spelling(unary.op)) + print(*unary.operand);
  }

  std::string operator()(const Binary& binary) const {
    return left_operand(binary) + " " + std::string(spelling(binary.op)) +
           (binary.return_bool ? " bool" : "") + (binary.matching ? print_matching(*binary.matching) : "") +
           " " + print(*binary.rhs);
  }

  /// Prints the left operand. A sign at the front of a power would apply to the whole power, so it is left
  /// out.
  std::string left_operand(const Binary& binary) const {
    std::string text = print(*binary.lhs);
    if (binary.op == TokenKind::pow && text == "+Inf") text.erase(0, 1);
    return text;
  }

  std::string operator()(const Aggregation& aggregation) const {
    std::string out(spelling(aggregation.op));
    if (aggregation.without) {
      out += " without " + print_labels(aggregation.grouping) + " ";
    } else if (!aggregation.grouping.empty()) {
      out += " by " + print_labels(aggregation.grouping) + " ";
    }
    out += "(";
    if (aggregation.parameter) out += print(*aggregation.parameter) + ", ";
    return out + print(*aggregation.expression) + ")";
  }

  std::string operator()(const Call& call) const {
    std::string out = std::string(call.function->name) + "(";
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (i > 0) out += ", ";
      out += print(*call.arguments[i]);
    }
    return out + ")";
  }
};

}  // namespace

std::string print_duration(Nanoseconds duration) {
  constexpr Nanoseconds millisecond = 1'000'000;
  // Prometheus prints what is shorter than a millisecond as 0s, which nothing reads back.
  if (duration % millisecond != 0) return go_plain_number(static_cast<double>(duration) / 1e9);
  return format_duration_text(duration / millisecond);
}

std::string print(const Expression& expression, Dialect dialect) {
  return Printer{dialect}.print(expression);
}

}  // namespace fairway::promql
