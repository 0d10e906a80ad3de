// SPDX-License-Identifier: Apache-2.0

// What expressions cost, as counted by Kubernetes 1.37 (k8s.io/apiserver's environment and
// library.CostEstimator).
#include <gtest/gtest.h>

#include <fstream>

#include "cel/cost/estimate.h"
#include "cel/fixture.h"
#include "cel/syntax/parser.h"

namespace fairway::test {
namespace {

TEST(CelCost, RunTimeCostIsThatOfKubernetes) {
  CelFixture fixture;
  std::ifstream in(FAIRWAY_SOURCE_DIR "/tests/cel/cost.tsv");
  std::string line;
  int count = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t tab = line.find('\t');
    const std::string expression = line.substr(0, tab);
    const std::uint64_t cost = std::stoull(line.substr(tab + 1));
    cel::Outcome outcome;
    const std::string value = evaluate_text(fixture, expression, true, &outcome);
    EXPECT_EQ(outcome.cost, cost) << expression << " gives " << value;
    ++count;
  }
  EXPECT_GT(count, 100);
}

TEST(CelCost, EstimateIsThatOfKubernetes) {
  CelFixture fixture;
  std::ifstream in(FAIRWAY_SOURCE_DIR "/tests/cel/cost.tsv");
  std::string line;
  int count = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t tab = line.find('\t');
    const std::string expression = line.substr(0, tab);
    const std::string expected = line.substr(line.find('\t', tab + 1) + 1);
    const auto parsed = cel::parse(expression);
    ASSERT_TRUE(parsed) << expression;
    const auto checked = cel::check(**parsed, fixture.environment);
    ASSERT_TRUE(checked) << expression;
    const cel::CostEstimate estimate = cel::estimate_cost(**parsed, fixture.environment, *checked);
    EXPECT_EQ(std::to_string(estimate.min) + ".." + std::to_string(estimate.max), expected) << expression;
    ++count;
  }
  EXPECT_GT(count, 100);
}

TEST(CelCost, ValuesOfAnyTypeHaveSizesWithoutABound) {
  CelFixture fixture;
  for (const char* expression : {"d.filter(x, x == 1)", "d.map(x, x)", "d.sortBy(x, x)",
                                 "d.all(k, v, v == k)", "dyn(ls).filter(x, true).filter(x, true)"}) {
    const auto parsed = cel::parse(expression);
    ASSERT_TRUE(parsed) << expression;
    const auto checked = cel::check(**parsed, fixture.environment);
    ASSERT_TRUE(checked) << expression;
    EXPECT_GT(cel::estimate_cost(**parsed, fixture.environment, *checked).max, 1000u) << expression;
  }
}

TEST(CelCost, EvaluationEndsAtTheLimit) {
  CelFixture fixture;
  cel::Outcome outcome;
  // || does not hide the end of an evaluation.
  const std::string value = evaluate_text(
      fixture, "lists.range(2000).all(x, lists.range(2000).all(y, x + y >= 0)) || true", true, &outcome);
  EXPECT_EQ(value, "error: operation cancelled: actual cost limit exceeded");
  EXPECT_TRUE(outcome.cost_exceeded);
  EXPECT_LT(outcome.cost, cel::per_call_cost_limit + 5000);
}

TEST(CelCost, CallsOfFailingArgumentsAreCounted) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"format.named('nothing').value().validate('a')", 3},
      {"[1 / 0].map(x, x).size()", 12},
      {"'a'.contains(string(1 / 0))", 3},
      {"1 / 0 > 0 || true", 2},
  };
  for (const auto& [expression, cost] : cases) {
    CelFixture fixture;
    cel::Outcome outcome;
    evaluate_text(fixture, expression, true, &outcome);
    EXPECT_EQ(outcome.cost, cost) << expression;
  }
}

TEST(CelCost, MemoryHasALimitToo) {
  CelFixture fixture;
  std::string expression = "[li]";
  for (int i = 0; i < 40; ++i) expression += ".map(x, x + x)";
  cel::Outcome outcome;
  const std::string value = evaluate_text(fixture, expression, true, &outcome);
  EXPECT_EQ(value, "error: operation cancelled: evaluation needs too much memory");
}

}  // namespace
}  // namespace fairway::test
