// SPDX-License-Identifier: Apache-2.0

#include "graph/risk.h"

#include <gtest/gtest.h>

namespace fairway::graph {
namespace {

json::Array rules(std::string_view text) {
  return json::parse(text)->as_array();
}

std::string canonical(std::string_view text) {
  auto array = rules(text);
  canonicalize_rules(array);
  return json::to_text(array);
}

TEST(CanonicalizeRules, WritesPromqlInsideAndOut) {
  EXPECT_EQ(canonical(R"([{"type":"PromQL","PromQL":{"PromQL":"q"}}])"),
            R"([{"type":"PromQL","promql":{"promql":"q"}}])");
  EXPECT_EQ(canonical(R"([{"type":"PromQL","promql":{"PromQL":"q"}}])"),
            R"([{"type":"PromQL","promql":{"promql":"q"}}])");
  EXPECT_EQ(canonical(R"([{"type":"PromQL","promql":{"promql":"q"}}])"),
            R"([{"type":"PromQL","promql":{"promql":"q"}}])");
}

TEST(CanonicalizeRules, KeepsTheOrderOfKeysAndWhatItDoesNotKnow) {
  EXPECT_EQ(
      canonical(R"([{"x":1,"PromQL":{"a":[],"PromQL":"q","b":null},"type":"PromQL","y":{"PromQL":2}}])"),
      R"([{"x":1,"promql":{"a":[],"promql":"q","b":null},"type":"PromQL","y":{"PromQL":2}}])");
}

TEST(CanonicalizeRules, LeavesOtherTypesAlone) {
  const std::string other =
      R"([{"type":"Always","PromQL":{"PromQL":"q"}},{"type":"promql","PromQL":1},7,null])";
  EXPECT_EQ(canonical(other), other);
}

TEST(CanonicalizeRules, DoesNotChooseBetweenTwoSpellingsInOneRule) {
  const std::string both = R"([{"type":"PromQL","PromQL":{"promql":"a"},"promql":{"promql":"b"}}])";
  EXPECT_EQ(canonical(both), both);
}

TEST(Risk, HasABodyThatIsItsCincinnatiJson) {
  const Risk risk{"https://example.com/a", "SlowDisks", "Slow \"disks\".", rules(R"([{"type":"Always"}])")};
  EXPECT_EQ(risk.body(), R"({"url":"https://example.com/a","name":"SlowDisks","message":"Slow \"disks\".",)"
                         R"("matchingRules":[{"type":"Always"}]})");
}

TEST(AlwaysRule, IsOneRuleThatAlwaysMatches) {
  EXPECT_EQ(json::to_text(always_rule()), R"([{"type":"Always"}])");
}

}  // namespace
}  // namespace fairway::graph
