// SPDX-License-Identifier: Apache-2.0

// Function calls.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "promql/internal/engine/arithmetic.h"
#include "promql/internal/engine/evaluator.h"
#include "promql/internal/engine/range_functions.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double sign(double v) {
  return v > 0 ? 1 : v < 0 ? -1 : v;
}
double degrees(double v) {
  return v * 180 / std::numbers::pi;
}
double radians(double v) {
  return v * std::numbers::pi / 180;
}

/// Returns the function of one number with this name; nullptr if there is none.
double (*find_math_function(std::string_view name))(double) {
  using Function = double (*)(double);
  static const std::unordered_map<std::string_view, Function> functions = {
      {"abs", std::fabs},  {"ceil", std::ceil},   {"floor", std::floor}, {"exp", std::exp},
      {"sqrt", std::sqrt}, {"ln", std::log},      {"log2", std::log2},   {"log10", std::log10},
      {"sin", std::sin},   {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},
      {"acos", std::acos}, {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},
      {"tanh", std::tanh}, {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh},
      {"deg", degrees},    {"rad", radians},      {"sgn", sign}};
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

bool ends_like_a_counter(std::string_view name) {
  return name.ends_with("_total") || name.ends_with("_sum") || name.ends_with("_count") ||
         name.ends_with("_bucket");
}

/// Returns the matchers in the order in which the storage of Prometheus 3 leaves them: those that only
/// exclude series are last.
std::vector<const Matcher*> in_storage_order(const std::vector<Matcher>& matchers) {
  std::vector<const Matcher*> order;
  for (const Matcher& matcher : matchers) order.push_back(&matcher);
  const auto must_be_there = [&](const std::string& name) {
    return std::ranges::any_of(matchers,
                               [&](const Matcher& m) { return m.name() == name && !m.matches(""); });
  };
  std::ranges::stable_partition(order, [&](const Matcher* m) {
    const bool negative = m->kind() == Matcher::Kind::not_equal || m->kind() == Matcher::Kind::not_regex;
    return must_be_there(m->name()) && !(negative && m->matches(""));
  });
  return order;
}

/// Returns the labels that absent() gives: those that the selector requires to equal one value. The last
/// matcher of a label decides.
Metric absent_metric(const Expression& argument, Dialect dialect) {
  const Expression& inner = without_parens(argument);
  const VectorSelector* selector = std::get_if<VectorSelector>(&inner.node);
  if (const auto* matrix = std::get_if<MatrixSelector>(&inner.node))
    selector = &std::get<VectorSelector>(matrix->selector->node);
  if (selector == nullptr) return {};
  std::vector<const Matcher*> matchers;
  if (dialect == Dialect::prometheus3) {
    matchers = in_storage_order(selector->matchers);
  } else {
    for (const Matcher& matcher : selector->matchers) matchers.push_back(&matcher);
  }
  std::vector<Label> labels;
  std::vector<std::string_view> seen;
  for (const Matcher* matcher : matchers) {
    if (matcher->name() == metric_name_label) continue;
    std::erase_if(labels, [&](const Label& label) { return label.first == matcher->name(); });
    if (matcher->kind() == Matcher::Kind::equal && std::ranges::find(seen, matcher->name()) == seen.end()) {
      labels.emplace_back(matcher->name(), matcher->value());
      seen.push_back(matcher->name());
    }
  }
  return Metric(LabelSet::make(std::move(labels)));
}

/// Returns a part of a date, from seconds since 1970, as far as a calendar of 64 bits goes. The library's
/// calendar ends in the year 32767, but repeats every 400 years.
double date_part(std::string_view name, double seconds) {
  using namespace std::chrono;
  if (!(std::abs(seconds) < 9e18)) return not_a_number;
  constexpr std::int64_t cycle = 146'097LL * 86'400;
  const auto since = static_cast<std::int64_t>(seconds);
  const std::int64_t cycles = since / cycle;
  const sys_seconds time{std::chrono::seconds(since - cycles * cycle)};
  const sys_days day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  if (name == "minute") return static_cast<double>(clock.minutes().count());
  if (name == "hour") return static_cast<double>(clock.hours().count());
  if (name == "day_of_week") return weekday{day}.c_encoding();
  if (name == "day_of_month") return static_cast<unsigned>(date.day());
  if (name == "day_of_year")
    return static_cast<double>((day - sys_days{date.year() / January / 1}).count() + 1);
  if (name == "days_in_month")
    return static_cast<unsigned>(year_month_day_last{date.year(), month_day_last{date.month()}}.day());
  if (name == "month") return static_cast<unsigned>(date.month());
  return static_cast<double>(static_cast<int>(date.year()) + 400 * cycles);
}

bool is_date_part(std::string_view name) {
  static constexpr std::string_view names[] = {"minute",      "hour",          "day_of_week", "day_of_month",
                                               "day_of_year", "days_in_month", "month",       "year"};
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

bool takes_range(const Call& call) {
  return std::ranges::find(call.function->arguments, ValueType::matrix) != call.function->arguments.end();
}

double Evaluator::scalar_call(const Call& call, Timestamp time) {
  const std::string_view name = call.function->name;
  if (name == "time") return static_cast<double>(time) / 1000;
  if (name == "pi") return std::numbers::pi;
  const Vector input = vector(*call.arguments[0], time);
  return input.size() == 1 ? input[0].value : not_a_number;
}

Vector Evaluator::map_values(Vector samples, const std::function<double(double)>& function) {
  for (Sample& sample : samples) {
    drop_name(sample);
    sample.value = function(sample.value);
  }
  if (!options_.delayed_name_removal) refuse_duplicates(samples);
  return samples;
}

Vector Evaluator::call(const Expression& expression, Timestamp time) {
  const Call& node = std::get<Call>(expression.node);
  const std::string_view name = node.function->name;
  if (name == "absent_over_time") return absent_over_time(node, time);
  if (takes_range(node)) return range_call(expression, time);
  if (name == "label_replace") return label_replace(node, time);
  if (name == "label_join") return label_join(node, time);
  if (name == "histogram_quantile") return histogram_quantile(expression, time);
  if (name == "histogram_fraction") return histogram_fraction(expression, time);
  if (name == "timestamp") return timestamps(node, time);
  if (is_date_part(name)) return clock_part(node, time);
  if (name == "sort" || name == "sort_desc") return sorted(expression, time);
  if (name == "vector") return {{Metric(), scalar(*node.arguments[0], time), time, false}};
  Vector input = vector(*node.arguments[0], time);
  if (failed()) return {};
  if (name == "absent") {
    if (!input.empty()) return {};
    return {{absent_metric(*node.arguments[0], options_.dialect), 1, time, false}};
  }
  if (auto* const function = find_math_function(name)) return map_values(std::move(input), function);
  // The functions of native histograms pass over everything else.
  if (name.starts_with("histogram_")) return {};
  const double first = node.arguments.size() > 1 ? scalar(*node.arguments[1], time) : 1;
  if (name == "round") {
    const double inverse = 1 / first;
    return map_values(std::move(input), [&](double v) { return std::floor(v * inverse + 0.5) / inverse; });
  }
  if (name == "clamp_min") return map_values(std::move(input), [&](double v) { return go_max(first, v); });
  if (name == "clamp_max") return map_values(std::move(input), [&](double v) { return go_min(first, v); });
  const double second = scalar(*node.arguments[2], time);
  if (second < first) return {};
  return map_values(std::move(input), [&](double v) { return go_max(first, go_min(second, v)); });
}

Vector Evaluator::range_call(const Expression& expression, Timestamp time) {
  const Call& node = std::get<Call>(expression.node);
  const std::string_view name = node.function->name;
  const Expression* range = nullptr;
  std::vector<double> scalars;
  for (const ExpressionPtr& argument : node.arguments) {
    if (argument->type == ValueType::matrix) {
      range = &without_parens(*argument);
    } else {
      scalars.push_back(scalar(*argument, time));
    }
  }
  if (failed() || range == nullptr) return {};  // the type check has seen to it that there is a range
  const auto* matrix = std::get_if<MatrixSelector>(&range->node);
  const auto* subquery = std::get_if<Subquery>(&range->node);
  if (matrix == nullptr && subquery == nullptr) return {};
  const TimeShift& shift =
      matrix != nullptr ? std::get<VectorSelector>(matrix->selector->node).time : subquery->time;
  const Nanoseconds length = matrix != nullptr ? matrix->range : subquery->range;
  RangeArguments in;
  in.end = shifted(shift, time);
  in.start = in.end - length / 1'000'000;
  in.seconds = static_cast<double>(length) / 1e9;
  in.time = time;
  in.scalars = scalars;
  in.dialect = options_.dialect;
  const RangeFunction function = find_range_function(name);
  const bool keeps_name = name == "last_over_time" || name == "first_over_time";
  const bool of_counter = name == "rate" || name == "increase";
  const bool smoothing = name == "holt_winters";
  const bool quantile = name == "quantile_over_time";
  // Of a subquery Prometheus has lost the place.
  const Annotations::Place place{matrix != nullptr ? range->span : Span{}, expression.span};
  Vector result;
  const bool at_many_times = from_ != to_ || start_ != end_ || subquery_depth_ > 0;
  State* const state =
      keeps_name || options_.delayed_name_removal || !at_many_times ? nullptr : &states_[&expression];
  const bool done = windows(*range, time, [&](const Window& window) {
    if (smoothing) {
      const char* const names[] = {"smoothing", "trend"};
      const char* const symbols[] = {"sf", "tf"};
      for (std::size_t i = 0; i < 2; ++i) {
        if (scalars[i] <= 0 || scalars[i] >= 1)
          return fail(std::string("invalid ") + names[i] + " factor. Expected: 0 < " + symbols[i] +
                      " < 1, got: " + format_fixed(scalars[i], 6));
      }
    }
    if (quantile && !(scalars[0] >= 0 && scalars[0] <= 1))
      annotations_.invalid_quantile(scalars[0], {without_parens(*node.arguments[0]).span, expression.span});
    in.points = window.points;
    const auto value = function(in);
    if (!value) return true;
    if (of_counter) {
      const std::string_view metric = window.metric.get(metric_name_label);
      if (!metric.empty() && !ends_like_a_counter(metric)) annotations_.possible_non_counter(metric, place);
    }
    Sample sample{window.metric, *value, time, window.drop_name};
    if (!keeps_name) drop_name(sample);
    if (state != nullptr && !refuse_second_source(*state, sample.metric, window.metric)) return false;
    result.push_back(std::move(sample));
    return true;
  });
  if (!done) return {};
  if (state == nullptr && !options_.delayed_name_removal) refuse_duplicates(result);
  return result;
}

Vector Evaluator::absent_over_time(const Call& call, Timestamp time) {
  bool present = false;
  windows(*call.arguments[0], time, [&](const Window&) {
    present = true;
    return false;
  });
  if (present || failed()) return {};
  return {{absent_metric(*call.arguments[0], options_.dialect), 1, time, false}};
}

Vector Evaluator::timestamps(const Call& call, Timestamp time) {
  const Expression& argument = without_parens(*call.arguments[0]);
  const bool direct = std::holds_alternative<VectorSelector>(argument.node);
  Vector result = direct ? selector(argument, time, true) : vector(argument, time);
  for (Sample& sample : result) {
    drop_name(sample);
    sample.value = static_cast<double>(direct ? sample.time : time) / 1000;
    sample.time = time;
  }
  if (!options_.delayed_name_removal) refuse_duplicates(result);
  return result;
}

Vector Evaluator::clock_part(const Call& call, Timestamp time) {
  const std::string_view name = call.function->name;
  if (call.arguments.empty())
    return {{Metric(), date_part(name, std::trunc(static_cast<double>(time) / 1000)), time, false}};
  return map_values(vector(*call.arguments[0], time), [&](double v) { return date_part(name, v); });
}

Vector Evaluator::sorted(const Expression& expression, Timestamp time) {
  const Call& call = std::get<Call>(expression.node);
  Vector result = vector(*call.arguments[0], time);
  if (from_ != to_) annotations_.sort_in_range_query(expression.span);
  const bool descending = call.function->name == "sort_desc";
  std::ranges::stable_sort(result, [&](const Sample& a, const Sample& b) {
    if (std::isnan(a.value) || std::isnan(b.value)) return !std::isnan(a.value) && std::isnan(b.value);
    return descending ? a.value > b.value : a.value < b.value;
  });
  return result;
}

}  // namespace fairway::promql
