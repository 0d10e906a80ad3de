// SPDX-License-Identifier: Apache-2.0

// The parts of a query, and what each gives.
#include "risk/explanation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "promql/engine/engine.h"
#include "promql/engine/exposition.h"
#include "promql/parser/go_text.h"
#include "risk/asked.h"

namespace fairway::risk {
namespace {

using testing::question;

class Explained {
 public:
  explicit Explained(const std::string& series) {
    EXPECT_TRUE(promql::read_exposition(series, 1'000'000, store_).has_value());
  }

  Explanation of(const std::string& query) const {
    return explain(*question(query),
                   [this](const promql::Expression& part,
                          const std::string& text) -> std::expected<promql::Value, std::string> {
                     auto result = promql::instant_query(part, text, store_, 1'000'000);
                     if (!result) return std::unexpected(result.error().message);
                     return std::move(result->value);
                   });
  }

  /// Returns each part with its depth, and the number of its samples or series.
  std::vector<std::string> parts(const std::string& query) const {
    std::vector<std::string> shown;
    for (const Branch& branch : of(query).branches) {
      const std::size_t samples = branch.value.vector.size() + branch.value.matrix.size();
      shown.push_back(std::to_string(branch.depth) + " " + branch.query + ": " +
                      (branch.error.empty() ? std::to_string(samples) : branch.error));
    }
    return shown;
  }

 private:
  promql::SeriesStore store_;
};

TEST(Explanation, ShowsEachPartBelowWhatItLiesIn) {
  const Explained explained("a{x=\"1\"} 1\na{x=\"2\"} 1\n");
  EXPECT_EQ(explained.parts("max(a{x=\"1\"} or (0 * a)) * on () group(b)"),
            (std::vector<std::string>{
                "0 max(a{x=\"1\"} or (0 * a)) * on () group(b): 0",
                "1 max(a{x=\"1\"} or (0 * a)): 1",
                "2 a{x=\"1\"} or (0 * a): 2",
                "3 a{x=\"1\"}: 1",
                "3 0 * a: 2",
                "4 a: 2",
                "1 group(b): 0",
                "2 b: 0",
            }));
}

TEST(Explanation, LeavesOutConstantsAndTheInsideOfRanges) {
  const Explained explained("a 1 900000\n");
  EXPECT_EQ(explained.parts("max_over_time(a[5m]) or max_over_time(max(a)[10m:1m]) or vector(0) * time()"),
            (std::vector<std::string>{
                "0 max_over_time(a[5m]) or max_over_time(max(a)[10m:1m]) or vector(0) * time(): 1",
                "1 max_over_time(a[5m]) or max_over_time(max(a)[10m:1m]): 1",
                "2 max_over_time(a[5m]): 1",
                "3 a[5m]: 1",
                "2 max_over_time(max(a)[10m:1m]): 1",
                "3 max(a)[10m:1m]: 1",
            }));
  EXPECT_EQ(explained.parts("vector(0)"), std::vector<std::string>{"0 vector(0): 1"});
}

TEST(Explanation, CountsTheSeriesOfEachMetric) {
  const Explanation explanation = Explained("b 1\nb{x=\"1\"} 2\n").of("max(b{x=\"2\"}) or max(a) or max(b)");
  ASSERT_EQ(explanation.metrics.size(), 2U);
  EXPECT_EQ(explanation.metrics[0].name, "a");
  EXPECT_EQ(explanation.metrics[0].series, 0U);
  EXPECT_EQ(explanation.metrics[1].name, "b");
  EXPECT_EQ(explanation.metrics[1].series, 2U);
}

TEST(Explanation, AMetricOfTheLastHourIsNotAbsent) {
  const Explanation explanation = Explained("a 1 100000\n").of("max(max_over_time(a[1h]))");
  ASSERT_EQ(explanation.metrics.size(), 1U);
  EXPECT_EQ(explanation.metrics[0].series, 1U);
}

TEST(Explanation, KeepsWhyAPartHasNoResult) {
  const Explained explained("a{x=\"1\"} 1\na{x=\"2\"} 1\n");
  const auto parts = explained.parts("a * on (y) a");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_TRUE(parts[0].contains("found duplicate series")) << parts[0];
  EXPECT_EQ(parts[1], "1 a: 2");
}

TEST(Explanation, IsNotEndless) {
  std::string query = "max(a)";
  for (int i = 0; i < 40; ++i) query += " or max(a)";
  const Explanation explanation = Explained("a 1\n").of(query);
  EXPECT_EQ(explanation.branches.size(), 100U);
  EXPECT_GT(explanation.left_out, 0U);
}

}  // namespace
}  // namespace fairway::risk
