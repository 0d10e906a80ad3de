// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/parser.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/json.h"
#include "promql/parser/printer.h"

namespace fairway::promql {
namespace {

/// Returns the canonical text of a query, or its error.
std::string outcome(const std::string& query, Dialect dialect) {
  const auto parsed = parse(query, dialect);
  return parsed ? print(**parsed, dialect) : to_string(parsed.error(), query, dialect);
}

void check_table(const std::string& file, Dialect dialect) {
  std::ifstream in(FAIRWAY_SOURCE_DIR "/tests/promql/data/" + file);
  ASSERT_TRUE(in) << file;
  int cases = 0;
  for (std::string line; std::getline(in, line); ++cases) {
    const auto expected = json::parse(line);
    ASSERT_TRUE(expected) << line;
    const std::string query(*json::find_string(*expected, "query"));
    const auto error = json::find_string(*expected, "error");
    EXPECT_EQ(outcome(query, dialect), std::string(error ? *error : *json::find_string(*expected, "text")))
        << query;
  }
  EXPECT_GT(cases, 200);
}

TEST(Parser, SaysWhatPrometheus3Says) {
  check_table("parse-3.jsonl", Dialect::prometheus3);
}

TEST(Parser, SaysWhatPrometheus2Says) {
  check_table("parse-2.jsonl", Dialect::prometheus2);
}

TEST(Parser, NamesTheExperimentalFeatureAQueryNeeds) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"limitk(1, up)", "limitk"},         {"mad_over_time(up[5m])", "mad_over_time"},
      {"up[5m] anchored", "anchored"},     {"up[5m+1m]", "duration expressions"},
      {"a + fill(0) b", "fill modifiers"}, {"up +", ""},
  };
  for (const auto& [query, feature] : cases) {
    const auto parsed = parse(query);
    ASSERT_FALSE(parsed) << query;
    EXPECT_EQ(parsed.error().unsupported_feature, feature) << query;
  }
}

TEST(Parser, KnowsWherePartsOfAQueryStand) {
  const auto parsed = parse("sum by (job) (rate(up{a=\"b\"}[5m] offset 1h)) > 2");
  ASSERT_TRUE(parsed);
  const auto& comparison = std::get<Binary>((*parsed)->node);
  EXPECT_EQ(comparison.lhs->span, (Span{0, 44}));
  EXPECT_EQ(comparison.op_span, (Span{45, 46}));
  const auto& aggregation = std::get<Aggregation>(comparison.lhs->node);
  const auto& rate = std::get<Call>(aggregation.expression->node);
  EXPECT_EQ(rate.arguments.front()->span, (Span{19, 42}));
}

TEST(Parser, RefusesTreesThatAreTooDeep) {
  const std::string deep = std::string(300, '(') + "1" + std::string(300, ')');
  EXPECT_NE(outcome(deep, Dialect::prometheus3).find("nested deeper than 256 levels"), std::string::npos);
  EXPECT_NE(outcome(std::string(100'000, '-') + "1", Dialect::prometheus3).find("nested deeper"),
            std::string::npos);
  std::string chain = "a";
  for (int i = 0; i < 300; ++i) chain += " + a";
  EXPECT_NE(outcome(chain, Dialect::prometheus3).find("nested deeper"), std::string::npos);
  EXPECT_EQ(outcome(std::string(200, '(') + "1" + std::string(200, ')'), Dialect::prometheus3).size(), 401U);
}

TEST(Parser, RefusesTextsThatAreTooLong) {
  EXPECT_NE(outcome(std::string(max_query_size + 1, ' '), Dialect::prometheus3).find("longer than 1 MiB"),
            std::string::npos);
}

TEST(Parser, FindsALabelThatStandsInOnAndGroupHoweverManyThereAre) {
  std::string on, group;
  for (int i = 0; i < 1000; ++i) {
    on += "a" + std::to_string(i) + ",";
    group += "b" + std::to_string(i) + ",";
  }
  const auto said = [&](const std::string& more) {
    return outcome("a * on (" + on + more + ") group_left (" + group + "y,x) b", Dialect::prometheus3);
  };
  EXPECT_NE(said("x,y").find("label \"x\" must not occur in ON and GROUP clause at once"), std::string::npos);
  EXPECT_EQ(said("z").find("must not occur"), std::string::npos);
}

TEST(Parser, KeepsRangesBelowAMillisecond) {
  EXPECT_EQ(outcome("foo[0.0001]", Dialect::prometheus3), "foo[0.0001]");
}

}  // namespace
}  // namespace fairway::promql
