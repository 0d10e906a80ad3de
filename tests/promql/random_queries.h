// SPDX-License-Identifier: Apache-2.0

// Random queries of all types over the series of random_series.h, right but for a few.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "promql/random_selectors.h"

namespace fairway::promql::testing {

/// Generates queries of the whole stable language; the same seed gives the same queries.
class RandomQueries {
 public:
  RandomQueries(std::uint64_t seed, Dialect dialect)
      : random_(seed), dialect_(dialect), selectors_(random_, dialect) {}

  std::string query() {
    const int depth = 1 + static_cast<int>(random_.below(4));
    const std::size_t kind = random_.below(100);
    if (kind < 4) return broken(vector(depth));
    if (kind < 8) return scalar(depth);
    if (kind < 11) return matrix(depth);
    if (kind < 12) return string();
    return vector(depth);
  }

  /// Returns a time near the samples: on a whole minute, on a second, or anywhere.
  Timestamp time() {
    const Timestamp at = random_.between(series_begin - 60'000, series_end + 3 * 60'000);
    const std::size_t kind = random_.below(3);
    return kind == 0 ? at / 60'000 * 60'000 : kind == 1 ? at / 1000 * 1000 : at;
  }
  Timestamp step() {
    static const std::vector<Timestamp> steps{15'000, 30'000, 60'000, 60'000, 7'000, 300'000, 12'345};
    return random_.pick(steps);
  }
  std::size_t below(std::size_t count) { return random_.below(count); }

 private:
  using Strings = std::vector<std::string>;

  std::string vector(int depth) {
    if (depth <= 0) return random_.percent(96) ? any_selector() : "vector(" + selectors_.number() + ")";
    const std::string space = random_.percent(3) ? "\n" : "";
    switch (random_.below(16)) {
      case 0:
        return any_selector();
      case 1:
        return "(" + space + vector(depth - 1) + ")";
      case 2:
        return (random_.percent(85) ? "-" : "+") + vector(depth - 1);
      case 3:
      case 4:
        return with_scalar(depth);
      case 5:
      case 6:
      case 7:
        return with_vector(depth);
      case 8:
        return set_operation(depth);
      case 9:
      case 10:
      case 11:
        return aggregation(depth);
      case 12:
      case 13:
        return range_function(depth);
      default:
        return function(depth);
    }
  }

  std::string any_selector() { return selectors_.selector(selectors_.family()); }

  std::string scalar(int depth) {
    const Strings constants{"time()", "pi()"};
    if (depth <= 0) return random_.percent(85) ? selectors_.number() : random_.pick(constants);
    switch (random_.below(6)) {
      case 0:
        return "scalar(" + vector(depth - 1) + ")";
      case 1: {
        const std::string op = random_.percent(70) ? random_.pick(arithmetic()) : random_.pick(comparisons());
        return scalar(depth - 1) + " " + op + (comparison(op) ? " bool " : " ") + scalar(depth - 1);
      }
      case 2:
        return "(" + scalar(depth - 1) + ")";
      case 3:
        return "-" + scalar(depth - 1);
      case 4:
        return random_.pick(constants);
      default:
        return selectors_.number();
    }
  }

  std::string matrix(int depth) {
    if (depth <= 1 || random_.percent(65)) return selectors_.range(selectors_.family());
    // Unparenthesised, the window would belong to the last operand alone, which is a query too.
    const std::string inner = random_.percent(90) ? vector(depth - 2) : scalar(1);
    return (random_.percent(85) ? "(" + inner + ")" : inner) + "[" + selectors_.subquery_window() + "]" +
           (random_.percent(25) ? selectors_.modifiers() : "");
  }

  std::string string() {
    static const Strings strings{
        "\"\"", "\"a\"", "'it''s'", "`raw\\n`", "\"\\u00fc\\n\"", "'\\x41\\''", "\"\\101 \\\"b\\\"\""};
    return random_.pick(strings);
  }

  static const Strings& arithmetic() {
    static const Strings all{"+", "-", "*", "/", "%", "^", "atan2"};
    return all;
  }
  static const Strings& comparisons() {
    static const Strings all{"==", "!=", "<", "<=", ">", ">="};
    return all;
  }
  static bool comparison(const std::string& op) { return op[0] == '<' || op[0] == '>' || op.ends_with('='); }

  /// Returns an operator, with `bool` after some comparisons.
  std::string operation() {
    if (random_.percent(60)) return random_.pick(arithmetic());
    return random_.pick(comparisons()) + (random_.percent(40) ? " bool" : "");
  }

  std::string with_scalar(int depth) {
    std::string left = vector(depth - 1), right = scalar(random_.percent(80) ? 0 : 1);
    if (random_.percent(40)) std::swap(left, right);
    return left + " " + operation() + " " + right;
  }

  std::string with_vector(int depth) {
    switch (random_.below(5)) {
      case 0: {  // two selectors of one metric
        const Family& family = selectors_.family();
        return selectors_.selector(family) + " " + operation() + " " + matching() +
               selectors_.selector(family);
      }
      case 1: {  // two aggregations by the same labels
        const std::string labels = selectors_.label_list();
        return "sum by " + labels + " (" + vector(depth - 1) + ") " + operation() + " " +
               (random_.percent(60) ? "on " + labels + " " : "") + "max by " + labels + " (" +
               vector(depth - 1) + ")";
      }
      case 2: {  // many to one, or one to many
        static const Strings ones{"build_info", "sum by (host) (bytes_total)", "max by (host) (temp)",
                                  "min by (host, team) (owner_info{team=\"red\"})"};
        static const Strings brought{"(version)", "(team)", "(zone, team)", "()", "", "(host)"};
        const bool left = random_.percent(60);
        std::string many = vector(depth - 1), one = random_.pick(ones);
        const std::string group = left ? " group_left " : " group_right ";
        const std::string middle = " " + operation() + " on (host)" + group + random_.pick(brought) + " ";
        return left ? many + middle + one : one + middle + many;
      }
      default:
        return vector(depth - 1) + " " + operation() + " " + matching() + vector(depth - 1);
    }
  }

  std::string matching() {
    if (random_.percent(40)) return "";
    std::string text = (random_.percent(60) ? "on " : "ignoring ") + selectors_.label_list() + " ";
    if (random_.percent(35)) {
      text += random_.percent(50) ? "group_left" : "group_right";
      text += random_.percent(50) ? " " : " " + selectors_.label_list() + " ";
    }
    return text;
  }

  std::string set_operation(int depth) {
    static const Strings operators{"and", "or", "or", "unless"};
    std::string matching = " ";
    if (random_.percent(60))
      matching = (random_.percent(70) ? " on " : " ignoring ") + selectors_.label_list() + " ";
    return vector(depth - 1) + " " + random_.pick(operators) + matching + vector(depth - 1);
  }

  std::string aggregation(int depth) {
    static const Strings plain{"sum", "avg", "count", "min", "max", "group", "stddev", "stdvar"};
    static const Strings with_number{"topk", "bottomk", "quantile"};
    std::string op = random_.pick(plain), parameter;
    if (random_.percent(30)) {
      op = random_.pick(with_number);
      parameter = op == "quantile" ? quantile() : std::to_string(random_.below(5));
      if (random_.percent(10)) parameter = scalar(1);
      parameter += ", ";
    } else if (random_.percent(10)) {
      static const Strings labels{"\"value\"", "\"host\"", "'le'", "\"9bad\""};
      op = "count_values";
      parameter = random_.pick(labels) + ", ";
    }
    const std::string inside = "(" + parameter + vector(depth - 1) + ")";
    if (random_.percent(25)) return op + inside;
    const std::string grouping = (random_.percent(65) ? "by " : "without ") + selectors_.label_list();
    return random_.percent(75) ? op + " " + grouping + " " + inside : op + inside + " " + grouping;
  }

  std::string quantile() {
    static const Strings quantiles{"0", "0.5", "0.9", "0.99", "1", "0.25", "1.5", "-1", "NaN"};
    return random_.pick(quantiles);
  }

  std::string range_function(int depth) {
    static const Strings plain{"rate",
                               "rate",
                               "increase",
                               "delta",
                               "irate",
                               "idelta",
                               "deriv",
                               "changes",
                               "resets",
                               "avg_over_time",
                               "sum_over_time",
                               "count_over_time",
                               "min_over_time",
                               "max_over_time",
                               "last_over_time",
                               "stddev_over_time",
                               "stdvar_over_time",
                               "present_over_time"};
    switch (random_.below(12)) {
      case 0:
        return "quantile_over_time(" + quantile() + ", " + matrix(depth) + ")";
      case 1:
        return "predict_linear(" + matrix(depth) + ", " + scalar(0) + ")";
      case 2:
        return "absent_over_time(" + matrix(depth) + ")";
      case 3: {
        if (dialect_ == Dialect::prometheus3) return "first_over_time(" + matrix(depth) + ")";
        static const Strings factors{"0.1", "0.5", "0.99", "0.3", "1", "0"};
        return "holt_winters(" + matrix(depth) + ", " + random_.pick(factors) + ", " + random_.pick(factors) +
               ")";
      }
      default:
        return random_.pick(plain) + "(" + matrix(depth) + ")";
    }
  }

  std::string function(int depth) {
    static const Strings math{"abs",  "ceil", "floor", "exp",   "ln",    "log2", "log10", "sqrt",
                              "sgn",  "sin",  "cos",   "tan",   "asin",  "acos", "atan",  "sinh",
                              "cosh", "tanh", "asinh", "acosh", "atanh", "deg",  "rad"};
    switch (random_.below(13)) {
      case 0:
      case 1:
        return random_.pick(math) + "(" + vector(depth - 1) + ")";
      case 2:
        return "clamp(" + vector(depth - 1) + ", " + scalar(0) + ", " + scalar(0) + ")";
      case 3:
        return (random_.percent(50) ? "clamp_min(" : "clamp_max(") + vector(depth - 1) + ", " + scalar(0) +
               ")";
      case 4:
        return "round(" + vector(depth - 1) + (random_.percent(50) ? "" : ", " + scalar(0)) + ")";
      case 5:
        return date();
      case 6:
        return (random_.percent(50) ? "sort(" : "sort_desc(") + vector(depth - 1) + ")";
      case 7:
        return "timestamp(" + (random_.percent(60) ? any_selector() : vector(depth - 1)) + ")";
      case 8:
        return "absent(" + vector(depth - 1) + ")";
      case 9:
        return "vector(" + scalar(depth - 1) + ")";
      case 10:
        return label_function(depth);
      default:
        return histogram_function(depth);
    }
  }

  /// Returns a function for parts of dates, with finite numbers only.
  std::string date() {
    static const Strings parts{"minute",      "hour",          "day_of_week", "day_of_month",
                               "day_of_year", "days_in_month", "month",       "year"};
    static const Strings of{
        "",           "",     "vector(time())", "timestamp(temp)", "epoch_seconds",
        "vector(-1)", "bare", "timestamp(up)",  "temp * 86400",    "epoch_seconds offset 5m"};
    return random_.pick(parts) + "(" + random_.pick(of) + ")";
  }

  std::string label_function(int depth) {
    static const Strings targets{"host", "new", "le", "__name__", "9bad", "zone"};
    if (random_.percent(55)) {
      static const Strings replacements{"$1",   "x-$1",  "${1}y", "",        "same",
                                        "$2$1", "$name", "$$1",   "${name}z"};
      static const Strings patterns{"(.*)", "(a|b)", "", "(.)(.*)", "(?P<name>[a-c])", "x", "(", ".+"};
      return "label_replace(" + vector(depth - 1) + ", \"" + random_.pick(targets) + "\", \"" +
             random_.pick(replacements) + "\", \"" + selectors_.label() + "\", \"" + random_.pick(patterns) +
             "\")";
    }
    static const Strings separators{"", "-", "/", "ü"};
    std::string sources;
    for (std::size_t left = random_.below(4); left > 0; --left) sources += ", \"" + selectors_.label() + "\"";
    return "label_join(" + vector(depth - 1) + ", \"" + random_.pick(targets) + "\", \"" +
           random_.pick(separators) + "\"" + sources + ")";
  }

  std::string histogram_function(int depth) {
    static const Strings buckets{"lat_bucket",
                                 "rate(lat_bucket[5m])",
                                 "sum by (le) (rate(lat_bucket[10m]))",
                                 "sum by (host, le) (lat_bucket)",
                                 "odd_bucket",
                                 "cut_bucket",
                                 "{__name__=~\".+_bucket\"}",
                                 "lat_bucket{le!=\"+Inf\"}",
                                 "increase(lat_bucket[3m]) or odd_bucket"};
    const std::string of = random_.percent(80) ? random_.pick(buckets) : vector(depth - 1);
    static const Strings others{"histogram_count", "histogram_sum"};
    static const Strings others3{"histogram_avg", "histogram_stddev", "histogram_stdvar", "histogram_count"};
    const std::size_t kind = random_.below(10);
    if (kind == 0) return random_.pick(dialect_ == Dialect::prometheus3 ? others3 : others) + "(" + of + ")";
    if (kind < 3) return "histogram_fraction(" + scalar(0) + ", " + scalar(0) + ", " + of + ")";
    return "histogram_quantile(" + (random_.percent(90) ? quantile() : scalar(1)) + ", " + of + ")";
  }

  /// Returns a query with something removed, doubled or inserted: most likely invalid.
  std::string broken(std::string text) {
    static const Strings extra{")",    "(",      "]", "[",     "}",  "{",   ",",  "by",
                               " on ", "offset", "@", "bool",  "5m", "\"",  "=~", "group_left",
                               ":",    "1",      "-", " and ", "#",  "sum", "foo"};
    const std::size_t at = random_.below(text.size());
    switch (random_.below(3)) {
      case 0:
        return text.erase(at, 1 + random_.below(4));
      case 1:
        return text.insert(at, text.substr(random_.below(text.size()), 1 + random_.below(8)));
      default:
        return text.insert(at, random_.pick(extra));
    }
  }

  Random random_;
  Dialect dialect_;
  RandomSelectors selectors_;
};

}  // namespace fairway::promql::testing
