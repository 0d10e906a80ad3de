// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/function.h"

#include <map>

namespace fairway::promql {

namespace {

constexpr ValueType scalar = ValueType::scalar, vector = ValueType::vector, matrix = ValueType::matrix,
                    string = ValueType::string;

using Table = std::map<std::string_view, Function>;

void add(Table& table, const std::vector<ValueType>& arguments, std::initializer_list<std::string_view> names,
         const Function& like = {}) {
  for (const std::string_view name : names) {
    Function function = like;
    function.name = name;
    function.arguments = arguments;
    table.emplace(name, std::move(function));
  }
}

/// Returns the functions that 2.42 and 3.x share.
Table shared_functions() {
  Table table;
  add(table, {vector},
      {"abs",          "absent", "acos",      "acosh", "asin", "asinh",     "atan",
       "atanh",        "ceil",   "cos",       "cosh",  "deg",  "exp",       "floor",
       "ln",           "log10",  "log2",      "rad",   "sgn",  "sin",       "sinh",
       "sort",         "sqrt",   "sort_desc", "tan",   "tanh", "timestamp", "histogram_count",
       "histogram_sum"});
  add(table, {vector},
      {"day_of_month", "day_of_week", "day_of_year", "days_in_month", "hour", "minute", "month", "year"},
      {.variadic = 1});
  add(table, {matrix},
      {"absent_over_time", "avg_over_time", "changes", "count_over_time", "delta", "deriv", "idelta",
       "increase", "irate", "last_over_time", "max_over_time", "min_over_time", "present_over_time", "rate",
       "resets", "stddev_over_time", "stdvar_over_time", "sum_over_time"});
  add(table, {vector, scalar, scalar}, {"clamp"});
  add(table, {vector, scalar}, {"clamp_max", "clamp_min"});
  add(table, {vector, scalar}, {"round"}, {.variadic = 1});
  add(table, {scalar, scalar, vector}, {"histogram_fraction"});
  add(table, {scalar, vector}, {"histogram_quantile"});
  add(table, {vector, string, string, string, string}, {"label_replace"});
  add(table, {vector, string, string, string}, {"label_join"}, {.variadic = -1});
  add(table, {matrix, scalar}, {"predict_linear"});
  add(table, {scalar, matrix}, {"quantile_over_time"});
  add(table, {}, {"pi", "time"}, {.result = scalar});
  add(table, {vector}, {"scalar"}, {.result = scalar});
  add(table, {scalar}, {"vector"});
  return table;
}

Table functions_of_2() {
  Table table = shared_functions();
  add(table, {matrix, scalar, scalar}, {"holt_winters"});
  return table;
}

Table functions_of_3() {
  Table table = shared_functions();
  add(table, {matrix}, {"first_over_time"});
  add(table, {vector}, {"histogram_avg", "histogram_stddev", "histogram_stdvar"});
  add(table, {matrix, scalar, scalar}, {"double_exponential_smoothing"}, {.experimental = true});
  add(table, {}, {"start", "end", "range", "step"}, {.result = scalar, .experimental = true});
  add(table, {scalar, scalar}, {"max_of", "min_of"}, {.result = scalar, .experimental = true});
  add(table, {matrix},
      {"mad_over_time", "ts_of_first_over_time", "ts_of_last_over_time", "ts_of_max_over_time",
       "ts_of_min_over_time"},
      {.experimental = true});
  add(table, {vector}, {"start_timestamp"}, {.experimental = true});
  add(table, {vector, vector}, {"info"}, {.variadic = 1, .experimental = true});
  add(table, {vector, string}, {"sort_by_label", "sort_by_label_desc"},
      {.variadic = -1, .experimental = true});
  add(table, {vector, string, scalar, scalar}, {"histogram_quantiles"},
      {.variadic = 9, .experimental = true});
  return table;
}

}  // namespace

std::string_view to_string(ValueType type) {
  switch (type) {
    case ValueType::none:
      return "none";
    case ValueType::scalar:
      return "scalar";
    case ValueType::vector:
      return "vector";
    case ValueType::matrix:
      return "matrix";
    case ValueType::string:
      return "string";
  }
  return "none";
}

std::string_view documented(ValueType type) {
  if (type == ValueType::vector) return "instant vector";
  if (type == ValueType::matrix) return "range vector";
  return to_string(type);
}

const Function* find_function(std::string_view name, Dialect dialect) {
  static const Table two = functions_of_2(), three = functions_of_3();
  const Table& table = dialect == Dialect::prometheus2 ? two : three;
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace fairway::promql
