// SPDX-License-Identifier: Apache-2.0

// What lint says of queries that give 0 where nothing is scraped. The first queries are those of the
// enhancement targeted-update-edge-blocking itself.
#include "promql/guard/missing_series.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "promql/engine/engine.h"
#include "promql/parser/parser.h"
#include "promql/shape_spans.h"

namespace fairway::promql {
namespace {

/// Returns queries, and the parts that make each 0 if series are missing.
std::vector<std::pair<std::string, std::string>> cases() {
  return {
      {R"(max(cluster_proxy_enabled{type=~"https?"}))", ""},
      {R"(cluster_infrastructure_provider{type=~"VSphere|None"} or 0 * cluster_infrastructure_provider)", ""},
      {R"(max(x{a="b"}) or vector(0))", "vector(0)"},
      {R"(max(x{a="b"}) or on () vector(0) * 1)", "vector(0) * 1"},
      {R"(max(x{a="b"}) or 0 * vector(1))", "0 * vector(1)"},
      {R"(max(x{a="b"}) or 0 * absent(x{a="b"}))", R"(0 * absent(x{a="b"}))"},
      {R"(group(y) * on () (max(x) or vector(0)))", "vector(0)"},
      {R"(max(x{a="b"}) or vector(1))", ""},
      {R"(max(x{a="b"}) or 0 * group(x))", ""},
      {R"(max(x{a="b"}) or 0 * (group(y) or absent(y)))", "0 * (group(y) or absent(y))"},
      {R"(max(x{a="b"}) or 0 * max(absent(x)))", "0 * max(absent(x))"},
      {R"(group(x{a="b"}) or (1 - absent(x{a="b"})))", R"(1 - absent(x{a="b"}))"},
      {R"(max(x) or label_replace(max(absent(x) - 1), "a", "b", "", ""))",
       R"(label_replace(max(absent(x) - 1), "a", "b", "", ""))"},
      // The whole query is 0 where no series is.
      {R"(vector(scalar(max(x{a="b"})) > bool 0))", R"(vector(scalar(max(x{a="b"})) > bool 0))"},
      {R"(1 - absent(x{a="b"}))", R"(1 - absent(x{a="b"}))"},
      {R"(max(x{a="b"}) or vector(0) unless on () y)", "vector(0) unless on () y"},
      {R"(max(vector(0) or x{a="b"}))", "vector(0)"},
      {R"(0 * absent(x{a="b"}) or max(x{a="b"}))", R"(0 * absent(x{a="b"}))"},
      {R"((max(x{a="b"}) or vector(-1)) > bool 0)", "vector(-1)"},
      {R"(clamp_max(max(x) or vector(0), 1))", "vector(0)"},
      {R"(max_over_time((max(x) or vector(0))[1h:]))", "vector(0)"},
      {R"(absent(absent(x)) or absent(x) == bool 2)", "absent(x) == bool 2"},
      {"count(x or vector(1)) > bool 1", "vector(1)"},
      {"absent(x) * 0", "absent(x) * 0"},
      {"-(max(x) or vector(0))", "vector(0)"},
      // Of several metrics some are there, and what is not there counts as 0.
      {R"(group(y) * on () group_left () (max(x) or vector(0)) or 0 * group(y))", "vector(0)"},
      {R"(max(z) or group(y) * on () (1 - absent(x)))", "1 - absent(x)"},
      // Without series these are 1, or nothing.
      {"absent(x) or vector(0)", ""},
      {"max(x) or absent(x)", ""},
      {"1 - (max(x) or vector(0))", ""},
      {"(max(x) or vector(0)) == bool 0", ""},
      {R"(max(x{a="b"}) or vector(0) and on () y)", ""},
      {R"(max(x{a="b"}) or vector(0) unless on () absent(x))", ""},
      {"group(y) unless on () (max(x) or vector(0))", ""},
      {"group(y) and on () (max(x) or vector(0))", ""},
      {"group(y) + on () (max(x) or vector(0))", ""},
      {"(max(x) or vector(0)) > 0", ""},
      {"(max(x) or vector(time())) > bool 0", ""},
      {"vector(scalar(max(x)))", ""},
      {"max(x) or 1 - group(y)", ""},
      {"max(x) or 0 * max(rate(y[5m]))", ""},
      {"vector(0)", ""},
  };
}

TEST(MissingSeries, AreFoundWhereTheyReadAsZero) {
  for (const auto& [query, wanted] : cases())
    EXPECT_EQ(spans_of(missing_series_faults, query), wanted) << query;
}

TEST(MissingSeries, AreFoundAsTheEngineEvaluatesWithoutAny) {
  const SeriesStore none;
  for (const auto& [query, wanted] : cases()) {
    const auto parsed = parse(query);
    ASSERT_TRUE(parsed) << query;
    const auto result = instant_query(**parsed, query, none, 1'700'000'000'000, {});
    ASSERT_TRUE(result) << query;
    const Vector& vector = result->value.vector;
    if (vector.empty() || query == "vector(0)") continue;  // some series may be there; none is asked for
    EXPECT_EQ(vector.size() == 1 && vector.front().value == 0, !wanted.empty()) << query;
  }
}

}  // namespace
}  // namespace fairway::promql
