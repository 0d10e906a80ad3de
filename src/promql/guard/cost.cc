// SPDX-License-Identifier: Apache-2.0

#include "promql/guard/cost.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "promql/internal/parser/lexer.h"
#include "promql/internal/parser/regex.h"

namespace fairway::promql {

namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds default_step = 60 * second;
/// Assumed sizes of one label of a series, and of all its labels together, in bytes.
constexpr std::uint64_t label_of_a_series = 256, labels_of_a_series = 1024;
/// Sizes of a point of a range, and of the work of an operator on one sample, in bytes.
constexpr std::uint64_t bytes_of_a_point = 16, bytes_of_a_sample = 64;
/// Length of the longest number: "-1.2345678901234567e-308".
constexpr std::uint64_t longest_number = 24;

constexpr std::array<std::pair<std::string_view, std::uint64_t Cost::*>, 16> measures = {{
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
    {"label_names", &Cost::label_names},
    {"samples", &Cost::samples},
    {"work", &Cost::work},
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

/// Returns the distance of a selector or subquery from the time of the query, in seconds. With a fixed time
/// (`@`) it may be any distance, and counts as the largest.
std::uint64_t distance(const TimeShift& time) {
  return time.anchor == TimeShift::Anchor::timestamp ? largest : in_seconds(time.offset);
}

bool is_regex(const Matcher& matcher) {
  return matcher.kind() == Matcher::Kind::regex || matcher.kind() == Matcher::Kind::not_regex;
}

/// Returns whether a regular expression accepts arbitrary texts, for which it was certainly not written.
bool accepts_everything(const Matcher& matcher) {
  if (matcher.kind() != Matcher::Kind::regex) return false;
  return matcher.matches("\x01zq.7/ Q~") && matcher.matches("wholly_Different:9");
}

/// Returns whether a selector asks for named metrics: one name, or alternatives without wildcards.
bool names_its_metrics(const VectorSelector& selector) {
  return std::ranges::any_of(selector.matchers, [](const Matcher& matcher) {
    if (matcher.name() != metric_name_label || matcher.value().empty()) return false;
    if (matcher.kind() == Matcher::Kind::equal) return true;
    return matcher.kind() == Matcher::Kind::regex &&
           matcher.value().find_first_of("\\.+*?()[]{}^$") == std::string::npos;
  });
}

/// Returns the number of series that a selector may find: for each metric that it names, as many as were
/// seen.
std::uint64_t series_of(const VectorSelector& selector, const CostLimits& limits) {
  const auto of_metric = [&](std::string_view name) {
    const auto seen = limits.seen == nullptr ? std::nullopt : limits.seen->of(name);
    return seen ? std::max<std::uint64_t>(1, *seen) : limits.series_per_selector;
  };
  std::optional<std::uint64_t> least;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name() != metric_name_label) continue;
    if (matcher.kind() != Matcher::Kind::equal && matcher.kind() != Matcher::Kind::regex) continue;
    std::string_view names = matcher.value();
    std::uint64_t series = 0;
    if (matcher.kind() == Matcher::Kind::equal) {
      series = of_metric(names);
    } else {
      for (std::size_t bar = 0; bar != std::string_view::npos; names.remove_prefix(bar + 1)) {
        bar = names.find('|');
        series = plus(series, of_metric(names.substr(0, bar)));
        if (bar == std::string_view::npos) break;
      }
    }
    least = std::min(least.value_or(series), series);
  }
  return least.value_or(limits.series_per_selector);
}

/// Returns whether a vector has as many series as a selector in it: no aggregation reduces them to a few.
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

/// Returns an upper bound, in bytes, of the label value that a call produces from labels of at most `size`
/// bytes.
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

/// Returns the size of the regular expressions that a parser would compile, up to the first invalid token.
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

/// The result of an expression at one step.
struct Yield {
  std::uint64_t series = 1;
  /// Upper bounds of the bytes of one label value, and of all labels of a series.
  std::uint64_t label = 0, labels = 0;
};

class Measure {
 public:
  Measure(const CostLimits& limits, Cost& cost) : limits_(limits), cost_(cost) {}

  /// Measures an expression. `reach` and `steps` are those of the subqueries around it.
  Yield visit(const Expression& expression, std::uint64_t reach, std::uint64_t steps) {
    ++cost_.nodes;
    if (const auto* selector = std::get_if<VectorSelector>(&expression.node))
      return measure(*selector, 0, reach, steps);
    if (const auto* matrix = std::get_if<MatrixSelector>(&expression.node))
      return measure(std::get<VectorSelector>(matrix->selector->node), matrix->range, reach, steps);
    std::uint64_t inner_steps = steps;
    if (const auto* subquery = std::get_if<Subquery>(&expression.node)) {
      const Nanoseconds step = subquery->step == 0 ? default_step : subquery->step;
      inner_steps = times(steps, static_cast<std::uint64_t>(subquery->range / step) + 1);
      reach = plus(plus(reach, in_seconds(subquery->range)), distance(subquery->time));
      cost_.subquery_steps = std::max(cost_.subquery_steps, inner_steps);
      cost_.range_seconds = std::max(cost_.range_seconds, reach);
    }
    std::vector<Yield> parts;
    for_each_child(expression,
                   [&](const Expression& child) { parts.push_back(visit(child, reach, inner_steps)); });
    Yield all{.series = 1};
    for (const Yield& part : parts) {
      all.series = std::max(all.series, part.series);
      all.label = std::max(all.label, part.label);
      all.labels = std::max(all.labels, part.labels);
    }
    if (std::holds_alternative<Subquery>(expression.node)) {
      work(inner_steps, all.series, bytes_of_a_sample);
      return all;
    }
    if (const auto* call = std::get_if<Call>(&expression.node)) return after(*call, all, steps);
    if (const auto* aggregation = std::get_if<Aggregation>(&expression.node))
      return after(*aggregation, all, steps);
    if (const auto* binary = std::get_if<Binary>(&expression.node)) return after(*binary, parts, all, steps);
    return all;
  }

 private:
  void work(std::uint64_t steps, std::uint64_t series, std::uint64_t bytes) {
    cost_.work = plus(cost_.work, times(times(steps, series), bytes));
  }

  Yield measure(const VectorSelector& selector, Nanoseconds range, std::uint64_t reach, std::uint64_t steps) {
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
    const std::uint64_t series = series_of(selector, limits_);
    cost_.samples = plus(cost_.samples, times(times(points, series), steps));
    work(steps, series, plus(bytes_of_a_sample, times(points, bytes_of_a_point)));
    return {.series = series, .label = label_of_a_series, .labels = labels_of_a_series};
  }

  Yield after(const Call& call, Yield yield, std::uint64_t steps) {
    const std::string_view name = call.function->name;
    if (name == "label_replace" || name == "label_join") {
      if (name == "label_replace") regex_of_label_replace(call);
      const std::uint64_t name_size = call.arguments.size() > 1 ? length_of(*call.arguments[1]) : 0;
      const std::uint64_t made = made_label_size(call, yield.label);
      cost_.label_names = plus(cost_.label_names, name_size);
      cost_.label_size = std::max(cost_.label_size, made);
      yield.labels = plus(yield.labels, plus(name_size, made));
      // It reads one value or some, and writes all labels again.
      work(steps, yield.series, plus(bytes_of_a_sample, plus(yield.label, yield.labels)));
      yield.label = std::max(yield.label, made);
      return yield;
    }
    work(steps, yield.series, bytes_of_a_sample);
    if (name == "absent" || name == "absent_over_time" || name == "vector") yield.series = 1;
    return yield;
  }

  Yield after(const Aggregation& aggregation, Yield yield, std::uint64_t steps) {
    const std::uint64_t labels = aggregation.grouping.size();
    cost_.labels += labels;
    if (aggregation.op == TokenKind::count_values) {
      const std::uint64_t name = aggregation.parameter == nullptr ? 0 : length_of(*aggregation.parameter);
      cost_.label_names = plus(cost_.label_names, name);
      yield.labels = plus(yield.labels, plus(name, longest_number));
      work(steps, yield.series, plus(bytes_of_a_sample, yield.labels));
      return yield;
    }
    const std::uint64_t read =
        aggregation.without ? yield.labels : std::min(times(labels, yield.label), yield.labels);
    work(steps, yield.series, plus(bytes_of_a_sample, read));
    const bool keeps = aggregation.op == TokenKind::topk || aggregation.op == TokenKind::bottomk;
    if (!aggregation.without && labels == 0 && !keeps) yield.series = 1;
    return yield;
  }

  Yield after(const Binary& binary, const std::vector<Yield>& sides, Yield yield, std::uint64_t steps) {
    count_cross_join(binary);
    std::uint64_t read = yield.labels, series = 0;
    for (const Yield& side : sides) series = plus(series, side.series);
    if (binary.matching) {
      const std::uint64_t on = binary.matching->labels.size(), include = binary.matching->include.size();
      cost_.labels += on + include;
      if (binary.matching->on) read = std::min(read, times(on, yield.label));
      // Labels that one side includes are written, beside all others, for each series of the other side.
      if (include > 0) {
        yield.labels = plus(yield.labels, times(include, yield.label));
        read = plus(read, yield.labels);
      }
      if (binary.op == TokenKind::or_set) yield.series = series;
      if (binary.op == TokenKind::and_set || binary.op == TokenKind::unless_set)
        yield.series = sides.front().series;
    } else {
      read = 0;  // a number stands beside it
    }
    work(steps, series, plus(bytes_of_a_sample, read));
    return yield;
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
