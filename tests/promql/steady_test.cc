// SPDX-License-Identifier: Apache-2.0

// A range query gives at each step what an instant query gives there, whatever the engine kept from the step
// before: over series whose values stay for a while, change, stop, and come back.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "promql/engine/engine.h"
#include "promql/parser/parser.h"
#include "promql/random.h"

namespace fairway::promql {
namespace {

using testing::Random;

constexpr Timestamp second = 1000, begin = 1'700'000'000 * second, length = 3600 * second;

/// Returns series that stay the same for up to twenty samples, with every kind of value that is
/// distinguished.
SeriesStore series_that_stay(std::uint64_t seed) {
  Random random(seed);
  const std::vector<double> values{1, 2, 0, -0.0, std::numeric_limits<double>::quiet_NaN(), 7};
  SeriesStore store;
  for (const char* const name : {"a", "b"}) {
    for (const char* const kind : {"x", "y", "z"}) {
      const auto labels =
          LabelSet::make({{std::string(metric_name_label), name}, {"kind", kind}, {"host", "h1"}});
      for (Timestamp time = begin - length; time <= begin + length;) {
        const double value = random.pick(values);
        const Timestamp distance = random.percent(80) ? 30 * second : random.between(1, 200) * second;
        for (std::int64_t left = random.between(1, 20); left > 0; --left, time += distance)
          store.add(labels, time, value);
        // Not in all: the engine looks ahead in series without them.
        if (*kind == 'z' && random.percent(20)) store.add(labels, time, stale_marker());
        if (random.percent(30)) time += random.between(1, 900) * second;
        time += distance;
      }
    }
  }
  return store;
}

const std::vector<std::string>& queries() {
  static const std::vector<std::string> all{
      "a",
      "-a",
      "a offset 7m",
      "group by (kind) (a)",
      "sum without (host) (a) or b",
      "max(a) * on () group_left () min(b)",
      "a * on (kind) group_left (host) b",
      "topk(1, group by (kind) (a) or on () 0 * group by (kind) (b))",
      "label_replace(a == 1, \"as\", \"$1\", \"kind\", \"(.*)\") unless on (kind) b > 1",
      "group by (kind) (max_over_time(a[10m]) > 0) or 0 * group by (kind) (min_over_time(b[3m] offset 2m))",
      "last_over_time(a[90s])",
      "max_over_time(a{kind=\"x\"}[3m])",
      "-min_over_time(b{kind=\"y\"}[2m])",
      "min_over_time(a[90s]) + max_over_time(a[400s])",
      "present_over_time(a{kind=~\"x|y\"}[20s])",
      "count_over_time(a[5m]) + sum_over_time(b[5m])",
      "max_over_time((a + b)[10m:1m])",
      "sum(max_over_time(group by (kind) (a)[10m:45s]))",
      "a + time()",
      "timestamp(a) + a",
      "vector(scalar(max(a))) > bool 1",
      "clamp_max(a, scalar(min(b)))",
      "absent(a{kind=\"x\"})",
      "count_values(\"value\", a)",
      "topk(scalar(count(a) or vector(2)) - 1, a)",
      "a @ 1700000100 + b",
      "hour() + a",
  };
  return all;
}

/// Returns the bits of a value; all NaNs are the same.
std::uint64_t shown(double value) {
  return std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value);
}

/// The result of a query: values by time and labels.
using Answer = std::map<std::pair<Timestamp, std::string>, std::uint64_t>;

Answer over_range(const std::string& query, const SeriesStore& store, Timestamp end, Timestamp step,
                  const EngineOptions& options) {
  Answer answer;
  const auto parsed = parse(query, options.dialect);
  if (!parsed) return answer;
  const auto result = range_query(**parsed, query, store, begin, end, step, options);
  EXPECT_TRUE(result) << query << ": " << result.error().message;
  if (!result) return answer;
  for (const SeriesResult& series : result->value.matrix) {
    for (const Point& point : series.points)
      answer[{point.time, series.metric.to_string()}] = shown(point.value);
  }
  return answer;
}

Answer step_by_step(const std::string& query, const SeriesStore& store, Timestamp end, Timestamp step,
                    const EngineOptions& options) {
  Answer answer;
  const auto parsed = parse(query, options.dialect);
  EXPECT_TRUE(parsed) << query;
  if (!parsed) return answer;
  for (Timestamp time = begin; time <= end; time += step) {
    const auto result = instant_query(**parsed, query, store, time, options);
    EXPECT_TRUE(result) << query << ": " << result.error().message;
    if (!result) return answer;
    for (const Sample& sample : result->value.vector)
      answer[{time, sample.metric.to_string()}] = shown(sample.value);
  }
  return answer;
}

class Steady : public ::testing::TestWithParam<Dialect> {};

TEST_P(Steady, RangesGiveAtEachStepWhatInstantsGive) {
  EngineOptions options;
  options.dialect = GetParam();
  std::size_t points = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const SeriesStore store = series_that_stay(seed);
    const Timestamp step = std::vector<Timestamp>{7, 15, 60, 300}[seed % 4] * second;
    const Timestamp end = begin + 60 * step;
    for (const std::string& query : queries()) {
      const Answer whole = over_range(query, store, end, step, options);
      EXPECT_EQ(whole, step_by_step(query, store, end, step, options)) << query << " of series " << seed;
      points += whole.size();
    }
  }
  EXPECT_GT(points, 10'000U);
}

INSTANTIATE_TEST_SUITE_P(Dialects, Steady, ::testing::Values(Dialect::prometheus2, Dialect::prometheus3),
                         [](const auto& of) {
                           return of.param == Dialect::prometheus2 ? "Prometheus2" : "Prometheus3";
                         });

}  // namespace
}  // namespace fairway::promql
