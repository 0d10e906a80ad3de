// SPDX-License-Identifier: Apache-2.0

// A made-up monitoring of four hosts: gauges, counters with resets, classic histograms, gaps, odd values.
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "promql/engine/series.h"
#include "promql/parser/matcher.h"
#include "promql/random.h"

namespace fairway::promql::testing {

/// The development of a metric's values.
enum class Course { gauge, counter, buckets, odd_buckets, one, up, odd, epoch, gaps };

struct Family {
  std::string name;
  Course course = Course::gauge;
  /// Labels with their values: a series for each combination.
  std::vector<std::pair<std::string, std::vector<std::string>>> labels;
};

inline const std::vector<Family>& families() {
  static const std::vector<std::string> hosts{"a", "b", "c", "d"};
  static const std::vector<Family> all{
      {"temp", Course::gauge, {{"host", hosts}, {"zone", {"eu", "us"}}}},
      {"load", Course::gauge, {{"host", hosts}, {"cpu", {"0", "1", "2"}}}},
      {"req_total",
       Course::counter,
       {{"host", {"a", "b", "c"}}, {"code", {"200", "404", "500"}}, {"method", {"GET", "POST"}}}},
      {"bytes_total", Course::counter, {{"host", hosts}, {"dir", {"in", "out"}}}},
      {"lat_bucket", Course::buckets, {{"host", {"a", "b", "c"}}, {"le", {"0.1", "0.5", "1", "5", "+Inf"}}}},
      {"lat_sum", Course::counter, {{"host", {"a", "b", "c"}}}},
      {"lat_count", Course::counter, {{"host", {"a", "b", "c"}}}},
      {"odd_bucket",
       Course::odd_buckets,
       {{"host", {"a", "b"}}, {"le", {"-1", "0.5", "0.50", "2", "x", "+Inf"}}}},
      {"cut_bucket", Course::buckets, {{"le", {"1", "2"}}}},
      {"build_info", Course::one, {{"host", hosts}, {"version", {"1.2"}}}},
      {"owner_info", Course::one, {{"host", {"a", "b", "c"}}, {"team", {"red", "blue"}}}},
      {"up", Course::up, {{"host", hosts}, {"job", {"node", "api"}}}},
      {"odd",
       Course::odd,
       {{"kind",
         {"nan", "inf", "neginf", "mixed", "zero", "negzero", "tiny", "huge", "sign", "line\nend \"ü\""}}}},
      {"epoch_seconds", Course::epoch, {{"host", {"a", "b"}}}},
      {"gap", Course::gaps, {{"host", hosts}, {"zone", {"eu"}}}},
      {"job:up:sum", Course::gauge, {{"job", {"node", "api"}}}},
      {"bare", Course::gauge, {}},
  };
  return all;
}

/// Times of the first and the last of all samples, in milliseconds.
inline constexpr Timestamp series_begin = 1'700'000'400'000, series_end = series_begin + 100 * 60'000;

class SeriesMaker {
 public:
  explicit SeriesMaker(std::uint64_t seed) : random_(seed) {}

  SeriesStore make() {
    SeriesStore store;
    for (const Family& family : families()) {
      std::vector<Label> labels{{std::string(metric_name_label), family.name}};
      combine(store, family, 0, labels);
    }
    return store;
  }

 private:
  void combine(SeriesStore& store, const Family& family, std::size_t at, std::vector<Label>& labels) {
    if (at == family.labels.size()) {
      fill(store, family, LabelSet::make(labels));
      return;
    }
    for (const std::string& value : family.labels[at].second) {
      labels.emplace_back(family.labels[at].first, value);
      combine(store, family, at + 1, labels);
      labels.pop_back();
    }
  }

  void fill(SeriesStore& store, const Family& family, const LabelsRef& labels) {
    static const std::vector<Timestamp> intervals{15'000, 30'000, 30'000, 60'000};
    const Timestamp interval = random_.pick(intervals);
    // Every second series is sampled at times that queries do not hit by design.
    const bool jitter = random_.percent(50);
    value_ = family.course == Course::counter ? static_cast<double>(random_.below(1000)) : number();
    // All series have a first sample at one moment, so that a server knows them in this order.
    store.add(labels, series_begin, value_);
    Timestamp resumes = series_begin + (random_.percent(20) ? random_.between(1, 60) * 60'000 : 0);
    for (Timestamp time = series_begin + interval; time <= series_end; time += interval) {
      if (time < resumes) continue;
      const Timestamp at = jitter ? time - random_.between(0, interval / 3) : time;
      if (pauses(family.course)) {
        resumes = time + random_.between(1, 12) * 60'000;
        if (random_.percent(60)) store.add(labels, at, stale_marker());
        continue;
      }
      store.add(labels, at, next(family.course, *labels));
    }
  }

  bool pauses(Course course) {
    if (course == Course::gaps) return random_.percent(6);
    return course != Course::buckets && random_.below(300) == 0;
  }

  /// Returns a number of few digits; about half of them are whole.
  double number() {
    const auto whole = static_cast<double>(random_.between(-500, 1500));
    if (random_.percent(50)) return whole;
    return random_.percent(50) ? whole / 8 : whole / 10;
  }

  double next(Course course, const LabelSet& labels) {
    switch (course) {
      case Course::counter:
        if (random_.below(60) == 0) return value_ = static_cast<double>(random_.below(20));
        return value_ += random_.percent(30) ? 0 : static_cast<double>(random_.below(400)) / 4;
      case Course::buckets:
        return next_bucket(labels);
      case Course::odd_buckets:
        return static_cast<double>(random_.below(50));
      case Course::one:
        return 1;
      case Course::up:
        return random_.percent(90) ? 1 : 0;
      case Course::odd:
        return next_odd(labels.get("kind"));
      case Course::epoch:
        return static_cast<double>(random_.between(-40'000'000'000, 100'000'000'000)) / 4;
      case Course::gauge:
      case Course::gaps:
        break;
    }
    return random_.percent(70) ? number() : value_;
  }

  /// Returns the next count of a bucket. Counts grow with the bound; each bucket grows by itself, so that
  /// rates may have to be raised.
  double next_bucket(const LabelSet& labels) {
    static const std::map<std::string, double, std::less<>> weights{{"0.1", 1}, {"0.5", 3}, {"1", 6},
                                                                    {"2", 7},   {"5", 8},   {"+Inf", 9}};
    const auto weight = weights.find(labels.get("le"));
    value_ = std::abs(value_) + static_cast<double>(random_.below(5)) + weight->second * 10;
    return value_;
  }

  double next_odd(std::string_view kind) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    if (kind == "nan") return not_a_number;
    if (kind == "inf") return infinity;
    if (kind == "neginf") return -infinity;
    if (kind == "zero") return 0;
    if (kind == "negzero") return -0.0;
    if (kind == "tiny") return number() * 1e-300;
    if (kind == "huge") return number() * 1e305;
    if (kind == "sign") return random_.percent(50) ? 1 : -1;
    const std::vector<double> mixed{not_a_number, infinity, -infinity, 0, 1, -1, number()};
    return random_.pick(mixed);
  }

  Random random_;
  double value_ = 0;
};

/// Returns all series of a store in the order of the store.
inline std::vector<Series> all_series(const SeriesStore& store) {
  std::vector<Series> result;
  const auto any =
      Matcher::make(Matcher::Kind::not_equal, std::string(metric_name_label), "", Dialect::prometheus3);
  for (const Series* series : store.select({*any})) result.push_back(*series);
  return result;
}

}  // namespace fairway::promql::testing
