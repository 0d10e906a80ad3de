// SPDX-License-Identifier: Apache-2.0

// The walk over matching rules and what comes of it: the table is tests/risk/data/walk.json. In it a rule
// that is a text is a query; `one`, `zero` and `half` give that sample, `none` gives none, and every other
// query 1.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "risk/rounds.h"
#include "risk/scripted_evaluator.h"

namespace fairway::risk {
namespace {

Answer say(const std::string& query) {
  if (query == "zero") return testing::sample(0);
  if (query == "half") return testing::sample(0.5);
  if (query == "none") return judge(promql::ValueType::vector, {});
  return testing::sample(1);
}

std::vector<std::string> texts(const json::Value* list) {
  std::vector<std::string> result;
  if (list != nullptr)
    for (const json::Value& text : list->as_array()) result.emplace_back(text.as_string());
  return result;
}

std::vector<std::string> texts(const UpdateCondition& condition) {
  return {std::string(to_string(condition.status)), condition.reason, condition.message};
}

std::vector<graph::Risk> risks_of(const json::Value& list) {
  std::vector<graph::Risk> risks;
  for (const json::Value& value : list.as_array()) {
    json::Array rules = json::find(value, "rules")->as_array();
    for (json::Value& rule : rules) {
      if (rule.is_string()) rule = testing::promql_rule(std::string(rule.as_string()));
    }
    risks.push_back(testing::risk(std::string(*json::find_string(value, "name")), std::move(rules)));
  }
  return risks;
}

class Walk : public ::testing::TestWithParam<bool> {};

// Whatever the evaluator answers at a time, the verdicts are the same.
TEST_P(Walk, IsTheSpecs) {
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/risk/data/walk.json");
  ASSERT_TRUE(text.has_value()) << text.error().message;
  const auto table = json::parse(*text);
  ASSERT_TRUE(table.has_value()) << table.error().message;
  for (const json::Value& row : table->as_array()) {
    SCOPED_TRACE(std::string(*json::find_string(row, "case")));
    const bool many = GetParam();
    testing::ScriptedEvaluator evaluator(say, many);
    const Registry registry = standard_registry();
    FakeClock clock;
    Rounds rounds(registry, evaluator, {.between_any = {}, .between_same = {}}, clock);
    const ConditionalUpdate update{testing::version("4.7.4"), risks_of(*json::find(row, "risks"))};
    // Without polling rules every round evaluates anew.
    for (int round = 0; round < 2; ++round) {
      const auto verdicts = rounds.run(std::span(&update, 1));
      ASSERT_TRUE(verdicts.has_value());
      ASSERT_EQ(verdicts->size(), 1U);
      const UpdateVerdict& verdict = verdicts->front();
      EXPECT_EQ(texts(verdict.recommended), texts(json::find(row, "recommended")));
      const json::Value* evaluating = json::find(row, "evaluating");
      EXPECT_EQ(texts(verdict.evaluating),
                evaluating != nullptr ? texts(evaluating)
                                      : (std::vector<std::string>{
                                            "True", "PeriodicallyEvaluating",
                                            "Periodically evaluating risks associated with this update."}));
      std::vector<std::string> outcomes;
      for (const RiskVerdict& one : verdict.risks) {
        outcomes.emplace_back(to_string(one.outcome));
        EXPECT_EQ(one.error.empty(), one.outcome != Outcome::failed);
      }
      EXPECT_EQ(outcomes, texts(json::find(row, "verdicts")));
      const auto evaluated = evaluator.take_evaluated();
      const auto wanted = texts(json::find(row, "evaluated"));
      if (many) {
        EXPECT_GE(evaluated.size(), wanted.size());
      } else {
        EXPECT_EQ(evaluated, wanted);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Evaluators, Walk, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "AnswersMany" : "AnswersOne"; });

// Neither text is PromQL: only whoever parses them can tell.
TEST(PromQLCondition, RefusesATextThatIsTooLongBeforeItIsParsed) {
  promql::CostLimits limits;
  limits.most.query_size = 4;
  const Registry registry = standard_registry(limits);
  const auto error_of = [&](const std::string& query) {
    const auto condition = read_rule(registry, testing::promql_rule(query));
    const Answer* answer = condition ? std::get_if<Answer>(&*condition) : nullptr;
    return answer != nullptr ? answer->error : "no answer";
  };
  EXPECT_EQ(error_of("((((("), "PromQL query may cost too much: query_size is 5, above the limit of 4");
  EXPECT_TRUE(error_of("((((").starts_with("invalid PromQL query: ")) << error_of("((((");
}

}  // namespace
}  // namespace fairway::risk
