#include "promql/guard/cost.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "promql/parser/internal/lexer.h"
#include "promql/parser/internal/regex.h"

namespace fairway::promql {

namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds default_step = 60 * second;
/// What a label of a series is taken to have.
constexpr std::uint64_t label_of_a_series = 256;

constexpr std::array<std::pair<std::string_view, std::uint64_t Cost::*>, 14> measures = {{
    {"query_size", &Cost::query_size},
    {"depth", &Cost::depth},
    {"nodes", &Cost::nodes},
    {"selectors", &Cost::selectors},
    {"open_selectors", &Cost::open_selectors},
    {"matchers_of_everything", &Cost::matchers_of_everything},
    {"matchers", &Cost::matchers},
    {"labels", &Cost::labels},
    {"regex_size", &Cost::regex_size},
    {"range_seconds", &Cost::range_seconds},
    {"subquery_steps", &Cost::subquery_steps},
    {"cross_joins", &Cost::cross_joins},
    {"label_size", &Cost::label_size},
    {"samples", &Cost::samples},
}};

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return a > largest - b ? largest : a + b;
}
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > largest / a ? largest : a * b;
}
std::uint64_t in_seconds(Nanoseconds duration) {
  const auto size =
      duration < 0 ? 0 - static_cast<std::uint64_t>(duration) : static_cast<std::uint64_t>(duration);
  return (size + second - 1) / second;
}

/// How far from the time of the query something stands. With a time of its own that may be any distance.
std::uint64_t distance(const TimeShift& time) {
  return time.anchor == TimeShift::Anchor::timestamp ? largest : in_seconds(time.offset);
}

bool is_regex(const Matcher& matcher) {
  return matcher.kind() == Matcher::Kind::regex || matcher.kind() == Matcher::Kind::not_regex;
}

/// Whether a regular expression accepts texts that nothing in it can have been made for.
bool accepts_everything(const Matcher& matcher) {
  if (matcher.kind() != Matcher::Kind::regex) return false;
  return matcher.matches("\x01zq.7/ Q~") && matcher.matches("wholly_Different:9");
}

/// Whether a selector asks for named metrics: one name, or alternatives without wildcards.
bool names_its_metrics(const VectorSelector& selector) {
  return std::ranges::any_of(selector.matchers, [](const Matcher& matcher) {
    if (matcher.name() != metric_name_label || matcher.value().empty()) return false;
    if (matcher.kind() == Matcher::Kind::equal) return true;
    return matcher.kind() == Matcher::Kind::regex &&
           matcher.value().find_first_of("\\.+*?()[]{}^$") == std::string::npos;
  });
}

/// How many metrics a selector may name, by the alternatives of its names.
std::uint64_t metrics_of(const VectorSelector& selector) {
  std::optional<std::uint64_t> least;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name() != metric_name_label) continue;
    if (matcher.kind() != Matcher::Kind::equal && matcher.kind() != Matcher::Kind::regex) continue;
    const auto bars = matcher.kind() == Matcher::Kind::regex ? std::ranges::count(matcher.value(), '|') : 0;
    const auto count = static_cast<std::uint64_t>(bars) + 1;
    least = std::min(least.value_or(count), count);
  }
  return least.value_or(1);
}

/// Whether a vector is as wide as a selector in it, not narrowed by an aggregation into few.
bool is_wide(const Expression& expression) {
  if (std::holds_alternative<VectorSelector>(expression.node)) return true;
  if (const auto* aggregation = std::get_if<Aggregation>(&expression.node)) {
    return aggregation->without && is_wide(*aggregation->expression);
  }
  if (std::holds_alternative<MatrixSelector>(expression.node)) return true;
  if (const auto* call = std::get_if<Call>(&expression.node)) {
    if (call->function->name == "absent" || call->function->name == "absent_over_time") return false;
  }
  bool wide = false;
  for_each_child(expression, [&](const Expression& child) { wide = wide || is_wide(child); });
  return wide;
}

std::uint64_t length_of(const Expression& text) {
  const auto* literal = std::get_if<StringLiteral>(&without_parens(text).node);
  return literal == nullptr ? 0 : literal->value.size();
}

/// A bound of the bytes of what a call makes of labels that have at most `size`.
std::uint64_t made_label_size(const Call& call, std::uint64_t size) {
  const std::size_t count = call.arguments.size();
  if (call.function->name == "label_join" && count > 3) {
    const std::uint64_t sources = count - 3;
    return plus(times(sources, size), times(sources - 1, length_of(*call.arguments[2])));
  }
  if (call.function->name == "label_replace" && count > 2) {
    const auto* literal = std::get_if<StringLiteral>(&without_parens(*call.arguments[2]).node);
    if (literal == nullptr) return 0;
    // Each group may be all of the value, and takes two bytes at least to name.
    const auto groups = static_cast<std::uint64_t>(std::ranges::count(literal->value, '$'));
    return plus(times(groups, size), literal->value.size());
  }
  return 0;
}

/// The regular expressions that a parser would compile, until the first token that none can read.
std::uint64_t regex_size_of_matchers(std::string_view query, Dialect dialect) {
  Lexer lexer(query, dialect);
  std::uint64_t size = 0;
  bool of_regex = false;
  for (Token token = lexer.next(); token.kind != TokenKind::end && token.kind != TokenKind::error;
       token = lexer.next()) {
    if (of_regex && token.kind == TokenKind::string) {
      if (const auto regex = unquote(token.text)) size = plus(size, regex_size(*regex));
    }
    of_regex = token.kind == TokenKind::regex_match || token.kind == TokenKind::regex_no_match;
  }
  return size;
}

class Measure {
 public:
  Measure(const CostLimits& limits, Cost& cost) : limits_(limits), cost_(cost) {}

  /// `reach` and `steps` are of the subqueries around the expression. The result is a bound of the bytes that
  /// a label has in what it gives.
  std::uint64_t visit(const Expression& expression, std::uint64_t reach, std::uint64_t steps) {
    ++cost_.nodes;
    if (const auto* selector = std::get_if<VectorSelector>(&expression.node)) {
      measure(*selector, 0, reach, steps);
      return label_of_a_series;
    }
    if (const auto* matrix = std::get_if<MatrixSelector>(&expression.node)) {
      measure(std::get<VectorSelector>(matrix->selector->node), matrix->range, reach, steps);
      return label_of_a_series;
    }
    if (const auto* subquery = std::get_if<Subquery>(&expression.node)) {
      const Nanoseconds step = subquery->step == 0 ? default_step : subquery->step;
      steps = times(steps, static_cast<std::uint64_t>(subquery->range / step) + 1);
      reach = plus(plus(reach, in_seconds(subquery->range)), distance(subquery->time));
      cost_.subquery_steps = std::max(cost_.subquery_steps, steps);
      cost_.range_seconds = std::max(cost_.range_seconds, reach);
    } else if (const auto* call = std::get_if<Call>(&expression.node)) {
      if (call->function->name == "label_replace") regex_of_label_replace(*call);
    } else if (const auto* binary = std::get_if<Binary>(&expression.node)) {
      count_cross_join(*binary);
      if (binary->matching)
        cost_.labels += binary->matching->labels.size() + binary->matching->include.size();
    } else if (const auto* aggregation = std::get_if<Aggregation>(&expression.node)) {
      cost_.labels += aggregation->grouping.size();
    }
    std::uint64_t size = 0;
    for_each_child(expression,
                   [&](const Expression& child) { size = std::max(size, visit(child, reach, steps)); });
    if (const auto* call = std::get_if<Call>(&expression.node)) {
      const std::uint64_t made = made_label_size(*call, size);
      cost_.label_size = std::max(cost_.label_size, made);
      size = std::max(size, made);
    }
    return size;
  }

 private:
  void measure(const VectorSelector& selector, Nanoseconds range, std::uint64_t reach, std::uint64_t steps) {
    ++cost_.selectors;
    if (!names_its_metrics(selector)) ++cost_.open_selectors;
    cost_.matchers += selector.matchers.size() - (selector.name.empty() ? 0 : 1);
    for (const Matcher& matcher : selector.matchers) {
      if (is_regex(matcher)) cost_.regex_size = plus(cost_.regex_size, regex_size(matcher.value()));
      if (accepts_everything(matcher)) ++cost_.matchers_of_everything;
    }
    const std::uint64_t length = in_seconds(range);
    cost_.range_seconds = std::max(cost_.range_seconds, plus(plus(reach, length), distance(selector.time)));
    const std::uint64_t points = length / std::max<std::uint64_t>(1, limits_.sample_interval) + 1;
    const std::uint64_t series = times(limits_.series_per_selector, metrics_of(selector));
    cost_.samples = plus(cost_.samples, times(times(points, series), steps));
  }

  void regex_of_label_replace(const Call& call) {
    if (call.arguments.size() < 5) return;
    if (const auto* regex = std::get_if<StringLiteral>(&without_parens(*call.arguments[4]).node))
      cost_.regex_size = plus(cost_.regex_size, regex_size(regex->value));
  }

  void count_cross_join(const Binary& binary) {
    if (!binary.matching || !binary.matching->on || !binary.matching->labels.empty() ||
        is_set_operator(binary.op))
      return;
    if (is_wide(*binary.lhs) && is_wide(*binary.rhs)) ++cost_.cross_joins;
  }

  const CostLimits& limits_;
  Cost& cost_;
};

}  // namespace

Cost cost_of(const Expression& expression, std::string_view query, const CostLimits& limits) {
  Cost cost;
  cost.query_size = query.size();
  cost.depth = static_cast<std::uint64_t>(expression.depth);
  Measure(limits, cost).visit(expression, 0, 1);
  return cost;
}

std::vector<CostLine> cost_lines(const Cost& cost, const CostLimits& limits) {
  std::vector<CostLine> lines;
  lines.reserve(measures.size());
  for (const auto& [name, member] : measures) lines.push_back({name, cost.*member, limits.most.*member});
  return lines;
}

bool set_limit(CostLimits& limits, std::string_view name, std::uint64_t value) {
  for (const auto& [known, member] : measures) {
    if (known != name) continue;
    limits.most.*member = value;
    return true;
  }
  // Without series or time nothing would cost anything.
  if (value == 0) return false;
  if (name == "series_per_selector") {
    limits.series_per_selector = value;
    return true;
  }
  if (name == "sample_interval") {
    limits.sample_interval = value;
    return true;
  }
  return false;
}

std::string exceeded_limits(const Cost& cost, const CostLimits& limits) {
  std::string text;
  for (const CostLine& line : cost_lines(cost, limits)) {
    if (line.value <= line.limit) continue;
    if (!text.empty()) text += "; ";
    text += std::string(line.name) + " is " + std::to_string(line.value) + ", above the limit of " +
            std::to_string(line.limit);
  }
  return text;
}

std::string exceeded_before_parsing(std::string_view query, const CostLimits& limits) {
  Cost known;
  known.query_size = query.size();
  if (known.query_size > limits.most.query_size) return exceeded_limits(known, limits);
  // Clusters run both, and so either language may be that in which it is read.
  for (const Dialect dialect : {Dialect::prometheus3, Dialect::prometheus2})
    known.regex_size = std::max(known.regex_size, regex_size_of_matchers(query, dialect));
  return exceeded_limits(known, limits);
}

}  // namespace fairway::promql
