// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/engine/range_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "promql/internal/engine/arithmetic.h"
#include "promql/internal/engine/evaluator.h"

namespace fairway::promql {

namespace {

using Points = std::span<const Point>;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Returns the distance that a rate extrapolates before the first sample: to the window's start if that is
/// near, else half the usual distance between samples, and never to where a counter would be below zero.
double reach_to_start(double to_start, double usual, double threshold, double to_zero, Dialect dialect) {
  if (dialect == Dialect::prometheus2) {
    // 2.x looks at zero first.
    to_start = std::min(to_start, to_zero);
    return to_start < threshold ? to_start : usual / 2;
  }
  if (to_start >= threshold) to_start = usual / 2;
  return std::min(to_start, to_zero);
}

std::optional<double> extrapolated(const RangeArguments& in, bool counter, bool per_second) {
  const Points points = in.points;
  if (points.size() < 2) return std::nullopt;
  double change = points.back().value - points.front().value;
  if (counter) {
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (points[i].value < points[i - 1].value) change += points[i - 1].value;
    }
  }
  const double interval = static_cast<double>(points.back().time - points.front().time) / 1000;
  const double usual = interval / static_cast<double>(points.size() - 1);
  const double threshold = usual * 1.1;
  const double to_start = static_cast<double>(points.front().time - in.start) / 1000;
  double to_end = static_cast<double>(in.end - points.back().time) / 1000;
  double to_zero = std::numeric_limits<double>::infinity();
  if (counter && change > 0 && points.front().value >= 0)
    to_zero = interval * (points.front().value / change);
  if (to_end >= threshold) to_end = usual / 2;
  double factor = 1;
  if (interval != 0 || in.dialect == Dialect::prometheus2)
    factor = (interval + reach_to_start(to_start, usual, threshold, to_zero, in.dialect) + to_end) / interval;
  if (per_second) factor /= in.seconds;
  return change * factor;
}

std::optional<double> rate(const RangeArguments& in) {
  return extrapolated(in, true, true);
}
std::optional<double> increase(const RangeArguments& in) {
  return extrapolated(in, true, false);
}
std::optional<double> delta(const RangeArguments& in) {
  return extrapolated(in, false, false);
}

std::optional<double> of_last_two(Points points, bool counter) {
  if (points.size() < 2) return std::nullopt;
  const Point& last = points[points.size() - 1];
  const Point& before = points[points.size() - 2];
  const Timestamp interval = last.time - before.time;
  if (interval == 0) return std::nullopt;
  // A counter that fell was reset: all it has now is new.
  const double change = counter && last.value < before.value ? last.value : last.value - before.value;
  return counter ? change / (static_cast<double>(interval) / 1000) : change;
}

std::optional<double> irate(const RangeArguments& in) {
  return of_last_two(in.points, true);
}
std::optional<double> idelta(const RangeArguments& in) {
  return of_last_two(in.points, false);
}

struct Line {
  double slope = 0, intercept = 0;
};

/// Returns the line through the points by least squares, with x in seconds from `origin`.
Line linear_regression(Points points, Timestamp origin, Dialect dialect) {
  const double first = points.front().value;
  if (std::ranges::all_of(points, [&](const Point& point) { return point.value == first; })) {
    if (std::isinf(first)) return {not_a_number, not_a_number};
    return {0, first};
  }
  CompensatedSum x_sum, y_sum, xy_sum, x2_sum;
  for (const Point& point : points) {
    const double x = static_cast<double>(point.time - origin) / 1000;
    x_sum.add(x, dialect);
    y_sum.add(point.value, dialect);
    xy_sum.add(x * point.value, dialect);
    x2_sum.add(x * x, dialect);
  }
  const auto total = [](const CompensatedSum& sum) { return sum.sum + sum.correction; };
  const auto count = static_cast<double>(points.size());
  const double x = total(x_sum), y = total(y_sum);
  const double covariance = total(xy_sum) - x * y / count;
  const double variance = total(x2_sum) - x * x / count;
  const double slope = covariance / variance;
  return {slope, y / count - slope * x / count};
}

std::optional<double> deriv(const RangeArguments& in) {
  if (in.points.size() < 2) return std::nullopt;
  return linear_regression(in.points, in.points.front().time, in.dialect).slope;
}

std::optional<double> predict_linear(const RangeArguments& in) {
  if (in.points.size() < 2) return std::nullopt;
  const Line line = linear_regression(in.points, in.time, in.dialect);
  return line.slope * in.scalars[0] + line.intercept;
}

std::optional<double> avg_over_time(const RangeArguments& in) {
  if (in.dialect == Dialect::prometheus3) {
    Mean mean;
    for (const Point& point : in.points) mean.add(point.value);
    return mean.value();
  }
  CompensatedSum mean;
  double count = 0;
  for (const Point& point : in.points) {
    count += 1;
    if (std::isinf(mean.sum)) {
      const bool same = std::isinf(point.value) && (mean.sum > 0) == (point.value > 0);
      if (same || std::isfinite(point.value)) continue;
    }
    mean.add(point.value / count - mean.sum / count, in.dialect);
  }
  return mean.total();
}

std::optional<double> sum_over_time(const RangeArguments& in) {
  CompensatedSum sum;
  for (const Point& point : in.points) sum.add(point.value, in.dialect);
  return sum.total();
}

std::optional<double> stdvar_over_time(const RangeArguments& in) {
  CompensatedSum mean, squares;
  double count = 0;
  for (const Point& point : in.points) {
    count += 1;
    const double delta = point.value - (mean.sum + mean.correction);
    mean.add(delta / count, in.dialect);
    squares.add(delta * (point.value - (mean.sum + mean.correction)), in.dialect);
  }
  return (squares.sum + squares.correction) / count;
}

std::optional<double> stddev_over_time(const RangeArguments& in) {
  return std::sqrt(*stdvar_over_time(in));
}

std::optional<double> count_over_time(const RangeArguments& in) {
  return static_cast<double>(in.points.size());
}
std::optional<double> present_over_time(const RangeArguments&) {
  return 1;
}
std::optional<double> first_over_time(const RangeArguments& in) {
  return in.points.front().value;
}
std::optional<double> last_over_time(const RangeArguments& in) {
  return in.points.back().value;
}

/// Returns the best value by `better`, without NaN; the first of equals. NaN if all are.
template <class Better>
double best_of(Points points, const Better& better) {
  const auto is_number = [](const Point& point) { return !std::isnan(point.value); };
  points = points.subspan(static_cast<std::size_t>(std::ranges::find_if(points, is_number) - points.begin()));
  if (points.empty()) return not_a_number;
  // Four at a time, for each comparison waits for the one before it.
  constexpr std::size_t lanes = 4;
  std::array<double, lanes> best;
  best.fill(points.front().value);
  std::size_t i = 0;
  for (; i + lanes <= points.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double value = points[i + lane].value;
      best[lane] = better(value, best[lane]) ? value : best[lane];
    }
  }
  double result = best[0];
  for (const double value : best) result = better(value, result) ? value : result;
  for (; i < points.size(); ++i) result = better(points[i].value, result) ? points[i].value : result;
  // The result shows which zero came first, 0 or -0.
  return result == 0 ? std::ranges::find(points, result, &Point::value)->value : result;
}

std::optional<double> max_over_time(const RangeArguments& in) {
  return best_of(in.points, std::greater<double>());
}

std::optional<double> min_over_time(const RangeArguments& in) {
  return best_of(in.points, std::less<double>());
}

std::optional<double> quantile_over_time(const RangeArguments& in) {
  std::vector<double> values;
  values.reserve(in.points.size());
  for (const Point& point : in.points) values.push_back(point.value);
  return quantile_of(in.scalars[0], std::move(values));
}

std::optional<double> changes(const RangeArguments& in) {
  double count = 0;
  for (std::size_t i = 1; i < in.points.size(); ++i) {
    const double before = in.points[i - 1].value, now = in.points[i].value;
    if (now != before && !(std::isnan(now) && std::isnan(before))) count += 1;
  }
  return count;
}

std::optional<double> resets(const RangeArguments& in) {
  double count = 0;
  for (std::size_t i = 1; i < in.points.size(); ++i) {
    if (in.points[i].value < in.points[i - 1].value) count += 1;
  }
  return count;
}

/// Computes double exponential smoothing, with a factor for the level and one for the trend.
std::optional<double> holt_winters(const RangeArguments& in) {
  if (in.points.size() < 2) return std::nullopt;
  const double smoothing = in.scalars[0], trend_factor = in.scalars[1];
  double before = 0, level = in.points[0].value, trend = in.points[1].value - in.points[0].value;
  for (std::size_t i = 1; i < in.points.size(); ++i) {
    if (i > 1) trend = trend_factor * (level - before) + (1 - trend_factor) * trend;
    before = std::exchange(level, smoothing * in.points[i].value + (1 - smoothing) * (level + trend));
  }
  return level;
}

}  // namespace

RangeFunction find_range_function(std::string_view name) {
  static const std::unordered_map<std::string_view, RangeFunction> functions = {
      {"rate", rate},
      {"increase", increase},
      {"delta", delta},
      {"irate", irate},
      {"idelta", idelta},
      {"deriv", deriv},
      {"predict_linear", predict_linear},
      {"avg_over_time", avg_over_time},
      {"sum_over_time", sum_over_time},
      {"stdvar_over_time", stdvar_over_time},
      {"stddev_over_time", stddev_over_time},
      {"count_over_time", count_over_time},
      {"present_over_time", present_over_time},
      {"first_over_time", first_over_time},
      {"last_over_time", last_over_time},
      {"max_over_time", max_over_time},
      {"min_over_time", min_over_time},
      {"quantile_over_time", quantile_over_time},
      {"changes", changes},
      {"resets", resets},
      {"holt_winters", holt_winters},
  };
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

}  // namespace fairway::promql
