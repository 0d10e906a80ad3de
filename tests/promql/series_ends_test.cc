// SPDX-License-Identifier: Apache-2.0

// When series ended, in the text format: what is written and read, and what queries see then.
#include "promql/engine/series_ends.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "promql/engine/engine.h"
#include "promql/engine/exposition.h"
#include "promql/engine/exposition_text.h"
#include "promql/engine/result_json.h"
#include "promql/parser/parser.h"

namespace fairway::promql {
namespace {

/// Returns the number of samples of a query at a time over a text.
std::size_t samples_of(const std::string& query, Timestamp time, const std::string& text) {
  SeriesStore store;
  EXPECT_TRUE(read_exposition(text, time, store).has_value()) << text;
  EXPECT_TRUE(read_series_ends(text, store).has_value()) << text;
  const auto parsed = parse(query);
  const auto result = instant_query(**parsed, query, store, time);
  EXPECT_TRUE(result.has_value());
  return result ? result->value.vector.size() : 0;
}

TEST(SeriesEnds, EndASeriesBeforeTheLookbackDoes) {
  const std::string samples =
      "up{job=\"a\"} 1 1000000\n"
      "up{job=\"b\"} 1 1000000\n";
  const std::string text = samples + "# fairway: ended up{job=\"a\"} 1060000\n";
  EXPECT_EQ(samples_of("up", 1'060'000, samples), 2U);
  EXPECT_EQ(samples_of("up", 1'059'999, text), 2U);
  EXPECT_EQ(samples_of("up", 1'060'000, text), 1U);
  EXPECT_EQ(samples_of("up offset 1s", 1'060'000, text), 2U);
  // Ranges have its samples.
  EXPECT_EQ(samples_of("max_over_time(up[10m])", 1'060'000, text), 2U);
  // It may come back.
  EXPECT_EQ(samples_of("up", 1'090'000, text + "up{job=\"a\"} 1 1080000\n"), 2U);
}

TEST(SeriesEnds, AreReadAsTheyAreWritten) {
  for (const std::vector<Label>& labels :
       std::vector<std::vector<Label>>{{{"__name__", "up"}},
                                       {{"__name__", "up"}, {"path", "C:\\x \"y\"\nz #"}},
                                       {{"__name__", "a name"}, {"a.label", "1"}},
                                       {{"only", "labels"}}}) {
    const std::string series = series_text(*LabelSet::make(labels));
    SCOPED_TRACE(series);
    std::string text;
    append_sample(text, series, 1.5, 1'000);
    append_series_end(text, series, -2'000);
    append_series_end(text, series, 2'000);
    SeriesStore store;
    const auto count = read_exposition(text, 0, store);
    ASSERT_TRUE(count.has_value()) << count.error().message;
    EXPECT_EQ(count->samples, 1U);
    EXPECT_EQ(read_series_ends(text, store), 2U);
    const auto read = store.select({});
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read.front()->labels->labels(), LabelSet::make(labels)->labels());
    ASSERT_EQ(read.front()->points.size(), 3U);
    EXPECT_TRUE(is_stale(read.front()->points[0].value));
    EXPECT_EQ(read.front()->points[1].value, 1.5);
    EXPECT_TRUE(is_stale(read.front()->points[2].value));
    EXPECT_EQ(read.front()->points[2].time, 2'000);
  }
}

TEST(SeriesEnds, WhatCannotBeReadIsNamed) {
  for (const auto& [line, wrong] : std::vector<std::pair<std::string, std::string>>{
           {"up{", "line 2: unexpected '' where a label should be"},
           {"up", "line 2: '' is not a timestamp"},
           {"up soon", "line 2: 'soon' is not a timestamp"},
           {"up 1 2", "line 2: '1 2' is not a timestamp"},
           {"{} 1", "line 2: what ended has neither a name nor labels"},
           {"up 9000000000000000",
            "line 2: the timestamp 9000000000000000 is too far away: it is milliseconds since 1970, at most "
            "1e15"},
           {"up 1000", "line 2: the series {__name__=\"up\"} has a sample for the time at which it ended"}}) {
    SeriesStore store;
    const std::string text = "up 1 1000\n# fairway: ended " + line + "\n";
    ASSERT_TRUE(read_exposition(text, 0, store).has_value());
    const auto read = read_series_ends(text, store);
    ASSERT_FALSE(read.has_value()) << line;
    EXPECT_EQ(read.error().message, wrong);
  }
  // Other comments are nobody's.
  SeriesStore store;
  EXPECT_EQ(read_series_ends("# HELP up Whether it is.\n# fairway: endedup 1\n#\n", store), 0U);
}

}  // namespace
}  // namespace fairway::promql
