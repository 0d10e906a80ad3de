// SPDX-License-Identifier: Apache-2.0

#include "promql/guard/cost.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/file.h"
#include "base/yaml.h"
#include "promql/parser/parser.h"
#include "support/shared_data.h"

namespace fairway::promql {
namespace {

std::string exceeded(const std::string& query) {
  const auto parsed = parse(query);
  if (!parsed) return "not parsed: " + parsed.error().message;
  return exceeded_limits(cost_of(**parsed, query), CostLimits{});
}

/// Collects every text under a key `promql` of a document.
void collect(const yaml::Node& node, std::set<std::string>& queries) {
  for (const auto& [key, value] : node.entries) {
    if (key.scalar == "promql" && value.is_scalar()) queries.insert(value.scalar);
    collect(value, queries);
  }
  for (const yaml::Node& item : node.items) collect(item, queries);
}

TEST(Cost, LetsEveryPublishedQueryPass) {
  const auto folder = fairway::testing::shared_path("data/graph-data") / "2026-02" / "blocked-edges";
  FAIRWAY_NEEDS_SHARED(folder);
  std::set<std::string> queries;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto text = read_file(entry.path());
    ASSERT_TRUE(text);
    const auto parsed = yaml::parse(*text);
    ASSERT_TRUE(parsed) << entry.path();
    for (const yaml::Node& document : parsed->documents) collect(document, queries);
  }
  EXPECT_EQ(queries.size(), 59U);
  for (const std::string& query : queries) EXPECT_EQ(exceeded(query), "") << query;
}

/// Returns nested calls, each of which makes a label of `size` bytes.
std::string nested_replacements(int calls, std::size_t size, std::string query = "up") {
  for (int i = 0; i < calls; ++i)
    query = "label_replace(" + query + ", 'l" + std::to_string(i) + "', '" + std::string(size / 3, 'v') +
            "', '', '')";
  return query;
}

TEST(Cost, StopsHostileQueries) {
  std::string wide = "up{a=~\"";
  for (int i = 0; i < 3000; ++i) wide += "x" + std::to_string(i) + "|";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{__name__=~\".+\"}", "open_selectors"},
      {"count({__name__!=\"\"})", "open_selectors"},
      {"{job=\"a\"}", "open_selectors"},
      {"count({__name__=~\".*a.*|b\"})", "open_selectors"},
      {"max_over_time(up[2y])", "range_seconds"},
      {"up offset 5y", "range_seconds"},
      {"max_over_time(max_over_time(up[1y:1m])[1y:1h])", "subquery_steps"},
      {"max_over_time(up[30d:1s])", "subquery_steps"},
      {"rate(up[32d])[32d:1d]", "range_seconds"},
      {"up @ 1600000000", "range_seconds"},
      {"max_over_time(up[5m] @ 0)", "range_seconds"},
      {"max_over_time(up[5m:1m] @ 1600000000)", "range_seconds"},
      {"max_over_time(max_over_time(up[5m:1m] @ 1600000000)[5m:1m])", "range_seconds"},
      {"up * on () group_left () up", "cross_joins"},
      {"up{a=\"b\"} * on () kube_pod_info", "cross_joins"},
      {R"(label_join(label_join(label_join(label_join(up,"a","","a","a","a","a","a"),"a","","a","a","a","a","a"),"a","",)"
       R"("a","a","a","a","a"),"a","","a","a","a","a","a"))",
       "label_size"},
      {R"q(label_replace(label_replace(label_replace(label_replace(label_replace(up,"a","$1$1$1$1","a","(.*)"),"a",)q"
       R"q("${1}${1}${1}${1}","a","(.*)"),"a","$1$1$1$1","a","(.*)"),"a","$1$1$1$1","a","(.*)"),"a","$1$1$1$1","a","(.*)"))q",
       "label_size"},
      {std::string(100, '(') + "up" + std::string(100, ')'), "depth"},
      {"max_over_time(up[1h:3s])", "subquery_steps"},
      {"count(count_values('" + std::string(15'000, 'n') + "', up))", "label_names"},
      {"label_replace(up, '" + std::string(15'000, 'n') + "', 'v', '', '')", "label_names"},
      {"label_join(up, '" + std::string(15'000, 'n') + "', '', 'a')", "label_names"},
      {nested_replacements(30, 1'000, "{__name__=~'a|b|c|d|e|f'}"), "work"},
      {"max_over_time(" + nested_replacements(10, 10) + "[10m:1s])", "work"},
      {wide + "y\"}", "regex_size"},
      {"up{a=~\".*\",b=~\".+\",c=~\"(.|a)*\",d=~\".*.*\",e=~\"(?s).*\"}", "matchers_of_everything"},
      {R"(up{a=~"(.|\\n)*",b=~"[\\s\\S]*",c=~"(?:[^x]|x)+",d=~"x|.*",e=~".{0,1000}"})",
       "matchers_of_everything"},
  };
  for (const auto& [query, measure] : cases) {
    EXPECT_NE(exceeded(query).find(measure + " is "), std::string::npos) << query << ": " << exceeded(query);
  }
}

std::uint64_t regex_size(const std::string& regex) {
  const std::string query = "up{a=~`" + regex + "`}";
  const auto parsed = parse(query);
  return parsed ? cost_of(**parsed, query).regex_size : 0;
}

TEST(Cost, CountsWhatIsRepeatedAsOftenAsItMayBe) {
  for (const auto& [regex, size] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"", 0},
           {"a|b.*", 5},
           {"x{3}", 3 + 3},
           {"yx{3,7}", 1 + 7 + 5},
           {"x{3,}?", 3 + 4 + 1},
           {"(ab){50}", 50 * 4 + 4},
           {"((ab){5}c){6}", 6 * (1 + (5 * 4 + 3) + 1 + 1) + 3},
           {"[ab{3}]{4}", 7 * 4 + 3},
           {"[]{3}]", 6},
           {"a\\\\{3}", 1 + 3 * 2 + 3},
           {"a\\{3}", 5},
           {"\\Qab{9}\\E", 9},
           {"x{,3}", 5},
           {"x{3", 3},
           {"\\pL", 256 + 2 + 1},
           {"\\p{Greek}{2}", 2 * (9 + 256) + 3},
           {"[\\pL\\PN]", 2 * 256 + 8},
       })
    EXPECT_EQ(regex_size(regex), size) << regex;
}

TEST(Cost, RefusesRegularExpressionsThatTakeLongToCompileBeforeTheyAreCompiled) {
  std::string query = "max(a{b=~'.{800}'";
  for (int i = 0; i < 1'300; ++i) query += ",b=~'.{800}'";
  query += "})";
  EXPECT_NE(exceeded_before_parsing(query, {}).find("regex_size is 1047305, above the limit of 2048"),
            std::string::npos)
      << exceeded_before_parsing(query, {});
  EXPECT_EQ(exceeded_before_parsing("max(a{b=~'.{800}',c=~'.{800}'})", {}), "");
  EXPECT_EQ(exceeded_before_parsing("max(a{b=~'.{800}',c!~'", {}), "");
  // Neither closed nor anything that both languages read.
  std::string open = "{\"a b\"=~'.{900}'";
  for (int i = 0; i < 9; ++i) open += ",b!~'.{900}'";
  EXPECT_NE(exceeded_before_parsing(open, {}).find("regex_size is "), std::string::npos);
}

TEST(Cost, CountsMatchers) {
  const std::string query = "up + up{a='b'} - {__name__='up',c!='d'}";
  EXPECT_EQ(cost_of(**parse(query), query).matchers, 3U);
  std::string many = "up{a='b'";
  for (int i = 0; i < 256; ++i) many += ",a!='c'";
  many += '}';
  EXPECT_EQ(exceeded(many), "matchers is 257, above the limit of 256");
}

TEST(Cost, CountsTheLabelsOfAllLists) {
  const std::string query = "max by (a, b, a) (up * on (c, d) group_left (e, e) up unless ignoring (f) up)";
  EXPECT_EQ(cost_of(**parse(query), query).labels, 8U);
  const std::string many = [] {
    std::string list = "count without (a";
    for (int i = 0; i < 256; ++i) list += ",a";
    return list + ") (up)";
  }();
  EXPECT_EQ(exceeded(many), "labels is 257, above the limit of 256");
}

TEST(Cost, CountsEachMetricThatANameMayBe) {
  for (const auto& [query, samples] :
       std::vector<std::pair<std::string, std::uint64_t>>{{"up", 1'000},
                                                          {R"({__name__=~"a|b|c"})", 3'000},
                                                          {R"({__name__=~"a|b|c",__name__=~"a|d"})", 2'000},
                                                          {R"({__name__="a",__name__!~"a|d"})", 1'000},
                                                          {R"(max_over_time({__name__=~"a|b"}[1m]))", 6'000}})
    EXPECT_EQ(cost_of(**parse(query), query).samples, samples) << query;
  std::string names = "a0";
  for (int i = 1; i < 200; ++i) names += "|a" + std::to_string(i);
  EXPECT_EQ(exceeded("max_over_time({__name__=~\"" + names + "\"}[8d])"),
            "samples is 4608200000, above the limit of 10000000; work is 73756800000, above the limit of "
            "500000000");
}

TEST(Cost, CountsTheSeriesThatWereSeen) {
  const auto seen = std::make_shared<SeriesSeen>();
  seen->record("a", 20'000);
  seen->record("b", 3);
  seen->record("c", 0);
  seen->record_at_least("d", 7);
  seen->record_at_least("d", 5);
  CostLimits limits;
  limits.seen = seen;
  for (const auto& [query, samples] :
       std::vector<std::pair<std::string, std::uint64_t>>{{"a", 20'000},
                                                          {"b + c + d", 3 + 1 + 7},
                                                          {"other", 1'000},
                                                          {R"({__name__=~"a|b|other"})", 21'003},
                                                          {R"({__name__=~"a|b",__name__=~"b|d"})", 10}})
    EXPECT_EQ(cost_of(**parse(query), query, limits).samples, samples) << query;
  const std::string query = nested_replacements(30, 100);
  const auto parsed = parse(query);
  EXPECT_EQ(exceeded_limits(cost_of(**parsed, query, limits), limits), "");
  seen->record("up", 20'000);
  const std::string exceeded = exceeded_limits(cost_of(**parsed, query, limits), limits);
  EXPECT_TRUE(exceeded.starts_with("work is ")) << exceeded;
}

// Steps x series x bytes, all operators added up.
TEST(Cost, PricesTheWork) {
  constexpr std::uint64_t read = 1'000 * (64 + 16), replace = 64 + 256 + 1024;
  for (const auto& [query, work] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"up", read},
           {"2 * 3", 2 * 64},
           {"max(up)", read + 1'000 * 64},
           {"max by (a) (up)", read + 1'000 * (64 + 256)},
           {"max without (a) (up)", read + 1'000 * (64 + 1024)},
           {"abs(max(up))", read + 1'000 * 64 + 64},
           {"max_over_time(up[1h])", 1'000 * (64 + 121 * 16) + 1'000 * 64},
           {"label_replace(up, 'abc', 'de', '', '')", read + 1'000 * (replace + 3 + 2)},
           {"label_replace(label_replace(up, 'abc', 'de', '', ''), 'f', '', '', '')",
            read + 1'000 * (replace + 5) + 1'000 * (replace + 5 + 1)},
           {"count_values('abc', up)", read + 1'000 * (64 + 1024 + 3 + 24)},
           {"up + on (a) up", 2 * read + 2'000 * (64 + 256)},
           {"up * 2", read + 1'001 * 64},
           {"max_over_time(max(up)[10m:1m])", 11 * (read + 1'000 * 64) + 11 * 64 + 64}})
    EXPECT_EQ(cost_of(**parse(query), query).work, work) << query;
}

TEST(Cost, RefusesPatternsThatTakeEachTextMilliseconds) {
  std::string pattern;
  for (int i = 0; i < 18; ++i) pattern += ".{0,400}[ab]";
  const std::string query = R"(label_replace(c, "x", "$1", "id", "()" + pattern + R"([cd]).*"))";
  EXPECT_EQ(exceeded(query), "regex_size is 7406, above the limit of 2048");
}

TEST(Cost, LetsTheTimesOfTheQueryPass) {
  for (const char* query : {"up @ end()", "max_over_time(up[5m] @ start())", "up offset 5m"})
    EXPECT_EQ(exceeded(query), "") << query;
}

TEST(Cost, BoundsTheLabelsThatAreMade) {
  for (const auto& [query, size] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"up", 0},
           {R"q(label_replace(up, "a", "x$1y", "b", "(.*)"))q", 256 + 4},
           {R"(label_join(up, "a", ", ", "b", "c"))", 2 * 256 + 2},
           {R"(max by (a) (label_join(up, "a", "", "b", "c")) or label_join(up, "a", "", "b"))", 2 * 256},
           {R"(label_join(max(label_join(up, "a", "", "b", "c")) or up, "a", "", "b", "c", "d"))",
            6 * 256}}) {
    const auto parsed = parse(query);
    ASSERT_TRUE(parsed) << query;
    EXPECT_EQ(cost_of(**parsed, query).label_size, size) << query;
  }
}

TEST(Cost, NeverOverflows) {
  std::string query = "up";
  for (int i = 0; i < 20; ++i) query = "max_over_time(" + query + "[100y:1s])";
  const auto parsed = parse(query);
  ASSERT_TRUE(parsed);
  std::string joined = "up";
  for (int i = 0; i < 100; ++i) joined = R"(label_join()" + joined + R"(,"a","","a","a","a"))";
  EXPECT_EQ(cost_of(*parse(joined).value(), joined).label_size, std::numeric_limits<std::uint64_t>::max());
  const Cost cost = cost_of(**parsed, query);
  EXPECT_EQ(cost.subquery_steps, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(cost.samples, std::numeric_limits<std::uint64_t>::max());
}

TEST(Cost, TakesTheLimitsOfAnAdmin) {
  CostLimits limits;
  EXPECT_TRUE(set_limit(limits, "depth", 2));
  EXPECT_FALSE(set_limit(limits, "height", 2));
  const auto parsed = parse("max(up + 1)");
  EXPECT_EQ(exceeded_limits(cost_of(**parsed, "max(up + 1)", limits), limits),
            "depth is 3, above the limit of 2");
}

}  // namespace
}  // namespace fairway::promql
