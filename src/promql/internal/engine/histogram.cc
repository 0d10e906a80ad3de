// SPDX-License-Identifier: Apache-2.0

// Quantiles and fractions of classic histograms: one series a bucket, with the bucket's upper bound in the
// label le.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

#include "promql/internal/engine/evaluator.h"
#include "promql/internal/parser/go_float.h"

namespace fairway::promql {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view bound_label = "le";
/// Relative difference of counts below which it is due to rounding.
constexpr double small_difference = 1e-12;

struct Bucket {
  double bound = 0;
  /// Number of observations up to the bound.
  double count = 0;
};

struct Histogram {
  Metric metric;
  bool drop_name = false;
  std::vector<Bucket> buckets;
};

bool almost_equal(double a, double b, double tolerance) {
  if (a == b) return true;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  constexpr double least = std::numeric_limits<double>::min();
  const double sum = std::abs(a) + std::abs(b), difference = std::abs(a - b);
  if (a == 0 || b == 0 || sum < least) return difference < tolerance * least;
  return difference / std::min(sum, std::numeric_limits<double>::max()) < tolerance;
}

/// Sorts buckets by bound, and adds up those of one bound. False if the last bound is not infinite, or if
/// Go's order is undefined.
bool put_in_order(std::vector<Bucket>& buckets) {
  const auto has_no_place = [](const Bucket& bucket) { return std::isnan(bucket.bound); };
  if (!std::ranges::any_of(buckets, has_no_place)) {
    std::ranges::stable_sort(buckets, {}, &Bucket::bound);
  } else if (buckets.size() > 12) {
    return false;  // where Go's sort leaves them then is of its making, and so is what comes out
  } else {
    // NaN has no place. Go sorts up to twelve values by insertion, which leaves it where it stands.
    for (std::size_t i = 1; i < buckets.size(); ++i) {
      for (std::size_t j = i; j > 0 && buckets[j].bound < buckets[j - 1].bound; --j)
        std::swap(buckets[j], buckets[j - 1]);
    }
  }
  if (buckets.back().bound != infinity) return false;
  std::size_t last = 0;
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    if (buckets[i].bound == buckets[last].bound) {
      buckets[last].count += buckets[i].count;
    } else {
      buckets[++last] = buckets[i];
    }
  }
  buckets.resize(last + 1);
  return true;
}

/// Buckets that had to be raised so that none counts less than the one below it.
struct Forced {
  double first = infinity, last = -infinity, difference = 0;
};

Forced make_monotonic(std::vector<Bucket>& buckets, Dialect dialect) {
  Forced forced;
  double before = buckets[0].count;
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    Bucket& bucket = buckets[i];
    if (bucket.count == before) continue;
    if (dialect == Dialect::prometheus3 && almost_equal(before, bucket.count, small_difference)) {
      bucket.count = before;
    } else if (bucket.count < before) {
      forced.first = std::min(forced.first, bucket.bound);
      forced.last = std::max(forced.last, bucket.bound);
      forced.difference = std::max(forced.difference, before - bucket.count);
      bucket.count = before;
    } else {
      before = bucket.count;
    }
  }
  return forced;
}

double bucket_quantile(double quantile, std::vector<Bucket>& buckets, Dialect dialect, Forced& forced) {
  if (std::isnan(quantile)) return not_a_number;
  if (quantile < 0) return -infinity;
  if (quantile > 1) return infinity;
  if (!put_in_order(buckets)) return not_a_number;
  forced = make_monotonic(buckets, dialect);
  if (buckets.size() < 2 || buckets.back().count == 0) return not_a_number;
  double rank = quantile * buckets.back().count;
  std::size_t at = 0;
  while (at + 1 < buckets.size() && !(buckets[at].count >= rank)) ++at;
  if (at + 1 == buckets.size()) return buckets[at - 1].bound;
  if (at == 0 && buckets[0].bound <= 0) return buckets[0].bound;
  const double below = at == 0 ? 0 : buckets[at - 1].bound;
  double count = buckets[at].count;
  if (at > 0) {
    count -= buckets[at - 1].count;
    rank -= buckets[at - 1].count;
  }
  return below + (buckets[at].bound - below) * (rank / count);
}

/// Returns the number of observations at or below `value`, with those inside a bucket spread evenly.
double rank_of(double value, const std::vector<Bucket>& buckets) {
  double rank = 0;
  double lower = buckets[0].bound <= 0 ? -infinity : 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const Bucket& bucket = buckets[i];
    if (i > 0) lower = buckets[i - 1].bound;
    if (lower >= value) return rank;
    if (bucket.bound > value) {
      // Nothing can be said of the inside of a bucket without an end.
      if (lower == -infinity) return bucket.count;
      return rank + (bucket.count - rank) * (value - lower) / (bucket.bound - lower);
    }
    rank = bucket.count;
  }
  return buckets.back().count;
}

double bucket_fraction(double lower, double upper, std::vector<Bucket>& buckets) {
  if (!put_in_order(buckets)) return not_a_number;
  const double count = buckets.back().count;
  if (count == 0 || std::isnan(lower) || std::isnan(upper)) return not_a_number;
  if (lower >= upper) return 0;
  return (std::min(rank_of(upper, buckets), count) - std::min(rank_of(lower, buckets), count)) / count;
}

/// Returns the classic histograms among samples; samples without a valid bound are left out with a warning.
std::vector<Histogram> classic_histograms(const Vector& samples, const Annotations::Place& place,
                                          bool name_matters, Annotations& annotations,
                                          const std::function<Metric(std::vector<Label>)>& made) {
  std::vector<Histogram> result;
  std::unordered_map<std::string, std::size_t> numbers;
  for (const Sample& sample : samples) {
    const std::string_view bound = sample.metric.get(bound_label);
    const auto value = parse_go_float(bound);
    if (bound.empty() || !value) {
      annotations.bad_bucket_label(name_matters ? sample.metric.get(metric_name_label) : "", bound, place);
      continue;
    }
    // The name belongs to the identity, though it is not shown.
    std::string key(sample.metric.get(metric_name_label));
    key += '\xff';
    append_signature(key, sample.metric, {std::string(bound_label)}, false);
    const auto [found, is_new] = numbers.try_emplace(std::move(key), result.size());
    if (is_new) {
      std::vector<Label> labels = sample.metric.labels();
      std::erase_if(labels, [](const Label& label) { return label.first == bound_label; });
      result.push_back({made(std::move(labels)), true, {}});
    }
    result[found->second].buckets.push_back({*value, sample.value});
  }
  return result;
}

}  // namespace

Vector Evaluator::histogram_quantile(const Expression& expression, Timestamp time) {
  const Call& call = std::get<Call>(expression.node);
  const double quantile = scalar(*call.arguments[0], time);
  const Vector input = vector(*call.arguments[1], time);
  if (failed()) return {};
  const Annotations::Place place{without_parens(*call.arguments[1]).span, expression.span};
  if (!(quantile >= 0 && quantile <= 1))
    annotations_.invalid_quantile(quantile, {without_parens(*call.arguments[0]).span, expression.span});
  Vector result;
  const auto make = [this](std::vector<Label> labels) { return made(std::move(labels)); };
  for (Histogram& histogram :
       classic_histograms(input, place, options_.delayed_name_removal, annotations_, make)) {
    Forced forced;
    const double value = bucket_quantile(quantile, histogram.buckets, options_.dialect, forced);
    if (forced.first <= forced.last) {
      const std::string_view name =
          options_.delayed_name_removal ? histogram.metric.get(metric_name_label) : std::string_view();
      annotations_.forced_monotonicity(name, place, time, forced.first, forced.last, forced.difference);
    }
    Sample sample{std::move(histogram.metric), value, time, false};
    drop_name(sample);
    result.push_back(std::move(sample));
  }
  if (!options_.delayed_name_removal) refuse_duplicates(result);
  return result;
}

Vector Evaluator::histogram_fraction(const Expression& expression, Timestamp time) {
  const Call& call = std::get<Call>(expression.node);
  const double lower = scalar(*call.arguments[0], time), upper = scalar(*call.arguments[1], time);
  const Vector input = vector(*call.arguments[2], time);
  // In 2.x it is a function of native histograms alone.
  if (failed() || !three()) return {};
  Vector result;
  const auto make = [this](std::vector<Label> labels) { return made(std::move(labels)); };
  for (Histogram& histogram :
       classic_histograms(input, {without_parens(*call.arguments[2]).span, expression.span},
                          options_.delayed_name_removal, annotations_, make)) {
    Sample sample{std::move(histogram.metric), bucket_fraction(lower, upper, histogram.buckets), time, false};
    drop_name(sample);
    result.push_back(std::move(sample));
  }
  if (!options_.delayed_name_removal) refuse_duplicates(result);
  return result;
}

}  // namespace fairway::promql
