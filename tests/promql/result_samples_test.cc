// What lint says of queries that give several samples, or 0 without any series. The first queries are those
// of the enhancement targeted-update-edge-blocking itself.
#include "promql/guard/result_samples.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "promql/parser/parser.h"

namespace fairway::promql {
namespace {

/// What the faults of a query are about, joined by `; `.
template <class Find>
std::string spans_of(const std::string& query, const Find& find) {
  const auto parsed = parse(query);
  if (!parsed) return "no PromQL: " + parsed.error().message;
  std::string spans;
  for (const ShapeFault& fault : find(**parsed)) {
    if (!spans.empty()) spans += "; ";
    spans += query.substr(fault.span.start, fault.span.end - fault.span.start);
    EXPECT_FALSE(fault.message.empty() || fault.fix.empty());
  }
  return spans;
}

TEST(SeveralSamples, AreFoundWhereTheOperatorsGiveThem) {
  for (
      const auto& [query, wanted] : std::vector<std::pair<std::string, std::string>>{
          {R"(max(cluster_proxy_enabled{type=~"https?"}))", ""},
          {R"(cluster_infrastructure_provider{type=~"VSphere|None"} or 0 * cluster_infrastructure_provider)",
           ""},
          {R"(cluster_infrastructure_provider{type=~"VSphere|None"})", ""},
          {"max(x) by (a)", "max(x) by (a)"},
          {"max by (a, b) (x{a=\"1\"})", "max by (a, b) (x{a=\"1\"})"},
          {"max by (a) (x{a=\"1\"})", ""},
          {"max by (_id) (x)", ""},
          {"max(max by (a) (x))", ""},
          {"topk(1, max by (a) (x))", ""},
          {"topk(2, x)", "topk(2, x)"},
          {"topk(2, max(x))", ""},
          {"topk(1, x)", ""},
          {"topk by (a) (1, x)", "topk by (a) (1, x)"},
          {"count_values(\"v\", x)", "count_values(\"v\", x)"},
          {R"(x{a="b"} or vector(0))", "or"},
          {R"(x{a="b"} or on () vector(0))", ""},
          {R"(max(x{a="b"}) or vector(0))", ""},
          {R"(x{a="b"} or 0 * x{a="c"})", "or"},
          {R"(x{a="b"} or 0 * x)", ""},
          {R"(label_replace(x, "is", "yes", "", "") or label_replace(0 * x, "is", "no", "", ""))", "or"},
          {R"(topk(1, label_replace(x, "is", "yes", "", "") or label_replace(0 * x, "is", "no", "", "")))",
           ""},
          {R"(label_replace(x, "is", "yes", "", "") or on () label_replace(0 * x, "is", "no", "", ""))", ""},
          // Of these only one is there.
          {R"(label_replace(x == 1, "is", "yes", "", "") or label_replace(0 * (x != 1), "is", "no", "", ""))",
           ""},
          {R"(max by (a) (x) * on () group(y))", ""},
          {R"(max by (a) (x) * on () group_left () group(y))", "max by (a) (x)"},
          {R"(group(y) * on () group_left (a) max by (a) (x))", ""},
          {R"(group(y) and on () max by (a) (x))", ""},
          {R"(max by (a) (x) > bool 0)", "max by (a) (x)"},
          {R"(group by (name) (csv{name=~"a.*"}) or on (_id) 0 * group(csv_count))",
           R"(group by (name) (csv{name=~"a.*"}))"},
          {"vector(1)", ""},
          {"1", ""},
      }) {
    EXPECT_EQ(spans_of(query, several_samples_faults), wanted) << query;
  }
}

TEST(MissingSeries, AreFoundWhereTheyReadAsZero) {
  for (const auto& [query, wanted] : std::vector<std::pair<std::string, std::string>>{
           {R"(max(cluster_proxy_enabled{type=~"https?"}))", ""},
           {R"(cluster_infrastructure_provider{type=~"VSphere|None"} or 0 * cluster_infrastructure_provider)",
            ""},
           {R"(max(x{a="b"}) or vector(0))", "vector(0)"},
           {R"(max(x{a="b"}) or on () vector(0) * 1)", "vector(0) * 1"},
           {R"(max(x{a="b"}) or 0 * vector(1))", "0 * vector(1)"},
           {R"(max(x{a="b"}) or 0 * absent(x{a="b"}))", R"(0 * absent(x{a="b"}))"},
           {R"(group(y) * on () (max(x) or vector(0)))", "vector(0)"},
           {R"(max(x{a="b"}) or vector(1))", ""},
           {R"(max(x{a="b"}) or 0 * group(x))", ""},
           {R"(max(x{a="b"}) or 0 * (group(y) or absent(y)))", "0 * (group(y) or absent(y))"},
           {R"(max(x{a="b"}) or 0 * max(absent(x)))", "0 * max(absent(x))"},
           {R"(group(x{a="b"}) or (1 - absent(x{a="b"})))", R"((1 - absent(x{a="b"})))"},
           {R"(max(x) or label_replace(max(absent(x) - 1), "a", "b", "", ""))",
            R"(label_replace(max(absent(x) - 1), "a", "b", "", ""))"},
           {"max(x) or absent(x)", ""},
           {"max(x) or 1 - group(y)", ""},
           {"max(x) or 0 * max(rate(y[5m]))", ""},
           {"vector(0)", ""},
       }) {
    EXPECT_EQ(spans_of(query, missing_series_faults), wanted) << query;
  }
}

}  // namespace
}  // namespace fairway::promql
