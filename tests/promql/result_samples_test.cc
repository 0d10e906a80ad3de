// SPDX-License-Identifier: Apache-2.0

// What lint says of queries that give several samples. The first queries are those of the enhancement
// targeted-update-edge-blocking itself.
#include "promql/guard/result_samples.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "promql/parser/parser.h"
#include "promql/shape_spans.h"

namespace fairway::promql {
namespace {

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
          // One side has the labels of a series, the other has none.
          {R"(max(kind{type="AWS"}) or 0 * kind)", "or"},
          {R"(group(x{a="b"}) or 0 * y)", "or"},
          {R"(0 * y or on () group(x{a="b"}))", ""},
          {R"(group(x{a="b"}) or on () 0 * y)", ""},
          {R"(group(x{a="b"}) or 0 * group(x) or 0 * x)", "or"},
          {R"(topk(1, group(x{a="b"}) or 0 * y))", ""},
          {R"(max(group(x{a="b"}) or 0 * y))", ""},
          {R"(max(x{a="b"}) or 0 * rate(y[5m]))", "or"},
          {"y or vector(0)", "or"},
          // A recording rule may have summed all labels away; what is left of labels is not known either.
          {R"(group(x{a="b"}) or 0 * cluster:nodes:sum)", ""},
          {R"(group(x{a="b"}) or 0 * max without (instance) (y))", ""},
          {R"(group(x{a="b"}) or ignoring (a) 0 * y)", ""},
          {R"(max(x > 1) or 0 * (x <= 1))", ""},
          // Patterns that match the empty text, which is what a source without a name has.
          {R"(label_replace(group(x), "r", "yes", "", ".*") or label_replace(0 * group(y), "r", "no", "", ".*"))",
           "or"},
          {R"q(label_replace(group(x), "r", "yes", "", "|a") or label_replace(0 * group(y), "r", "no", "", "(.*)"))q",
           "or"},
          {R"(label_replace(group(x), "r", "yes", "", "a") or label_replace(0 * group(y), "r", "no", "", "a"))",
           ""},
          {R"q(label_replace(group(x), "r", "$1", "", "(.*)") or 0 * group(y))q", ""},
          {R"(label_replace(x{a="b"}, "r", "yes", "a", "b") or label_replace(0 * x, "r", "no", "a", ".*"))",
           "or"},
          {R"(label_replace(group(x), "r", "yes", "s", ".+") or 0 * group(y))", ""},
          {R"(label_replace(max by (s) (x{s="t"}), "r", "yes", "u", ".+") or 0 * max by (s) (x{s="t"}))", ""},
          // The labels of absent() are those that its selector wants equal.
          {R"(absent(x{a="b"}) or vector(0))", "or"},
          {R"(absent_over_time(x{a="b"}[1h]) or vector(0))", "or"},
          {R"(absent(x) or vector(0))", ""},
          {R"(absent(x{a=~"b"}) or vector(0))", ""},
          {R"(absent(x{a="b", a!="c"}) or vector(0))", ""},
          {R"(absent(max(x{a="b"})) or vector(0))", ""},
          {R"(absent(x{a="b"}) or on () vector(0))", ""},
          // What absent() says is there where the other side is not.
          {R"(absent(x{a="b"}) or 0 * max(x{a="b"}))", ""},
          {R"(max(x{a="b", c="d"}) or 0 * absent(x{a="b"}))", ""},
          {R"(max(x) or 0 * absent(x{a="b"}))", "or"},
          {R"(absent(x{a="b"}) or 0 * group(x) or vector(0))", "or"},
          {"vector(1)", ""},
          {"1", ""},
      }) {
    EXPECT_EQ(spans_of(several_samples_faults, query), wanted) << query;
  }
}

}  // namespace
}  // namespace fairway::promql
