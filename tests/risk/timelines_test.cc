// SPDX-License-Identifier: Apache-2.0

// The query timelines of data/operator/promql-throttle: what the spec asks for, call by call.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "risk/internal/polling.h"
#include "risk/rounds.h"
#include "risk/scripted_evaluator.h"
#include "support/shared_data.h"

namespace fairway::risk {
namespace {

using testing::ScriptedEvaluator;

std::filesystem::path timelines_file() {
  return fairway::testing::shared_path("data/operator/promql-throttle/timelines.json");
}

std::chrono::nanoseconds duration(const json::Value& value) {
  return parse_duration(std::string_view(value.as_string())).value();
}

std::string text(const json::Value& object, std::string_view key) {
  return std::string(json::find_string(object, key).value_or(""));
}

QuestionPointer question(const std::string& query) {
  auto made = std::make_shared<Question>();
  made->key = made->query = query;
  return made;
}

std::string shown(const Knowledge& knowledge) {
  if (knowledge.outcome == Outcome::matches) return "match";
  if (knowledge.outcome == Outcome::does_not_match) return "nomatch";
  return "error: " + knowledge.error;
}

/// A timeline's clock and evaluator.
class Timeline {
 public:
  explicit Timeline(const json::Value& timeline)
      : evaluator([this, &timeline](const std::string& query) {
          clock.advance(duration(*json::find(timeline, "queryDuration")));
          const std::string result = text(*json::find(timeline, "results"), query);
          if (result == "match" || result == "nomatch") return testing::sample(result == "match" ? 1 : 0);
          return Answer::failure(result);
        }) {
    rules.between_any = duration(*json::find(timeline, "minBetweenMatches"));
    rules.between_same = duration(*json::find(timeline, "minForCondition"));
    rules.unused = duration(*json::find(timeline, "expiration"));
  }
  void go_to(const json::Value& at) {
    const SteadyTime time = begin_ + duration(at);
    if (time > clock.steady()) clock.advance(time - clock.steady());
  }

  FakeClock clock;
  PollingRules rules;
  ScriptedEvaluator evaluator;

 private:
  SteadyTime begin_ = clock.steady();
};

class Timelines : public ::testing::Test {
 protected:
  void SetUp() override {
    FAIRWAY_NEEDS_SHARED(timelines_file());
    const auto file = read_file(timelines_file());
    ASSERT_TRUE(file) << file.error().message;
    document_ = json::parse(*file).value();
  }
  /// Calls `check` with each timeline that has the behaviour that the spec requires.
  template <class Check>
  void for_each_timeline(const Check& check) {
    int count = 0;
    for (const json::Value& timeline : document_.as_array()) {
      if (!text(timeline, "name").starts_with("specfixed-")) continue;
      SCOPED_TRACE(text(timeline, "name"));
      check(timeline);
      ++count;
    }
    std::printf("%d timelines\n", count);
    EXPECT_GT(count, 0);
    // Of another folder nobody knows how many there are.
    if (fairway::testing::is_default_shared()) {
      EXPECT_EQ(count, 11);
    }
  }

 private:
  json::Value document_;
};

TEST_F(Timelines, OfTheSpecHoldCallByCall) {
  for_each_timeline([](const json::Value& timeline) {
    Timeline run(timeline);
    Polling polling(run.evaluator, run.rules, run.clock);
    for (const json::Value& step : json::find(timeline, "expected")->as_array()) {
      SCOPED_TRACE(text(step, "at"));
      run.go_to(*json::find(step, "at"));
      for (const json::Value& call : json::find(step, "calls")->as_array()) {
        polling.begin_round({});
        const Knowledge knowledge = polling.ask(question(text(call, "requested")), {});
        EXPECT_EQ(shown(knowledge), text(call, "result"));
        const auto evaluated = run.evaluator.take_evaluated();
        EXPECT_EQ(evaluated.empty() ? "" : evaluated.front(), text(call, "evaluated"));
        EXPECT_LE(evaluated.size(), 1U);
      }
    }
  });
}

// What a cluster does: all questions of a step in one round.
TEST_F(Timelines, OfTheSpecHoldRoundByRound) {
  for_each_timeline([](const json::Value& timeline) {
    Timeline run(timeline);
    const Registry registry = standard_registry();
    Rounds rounds(registry, run.evaluator, run.rules, run.clock);
    for (const json::Value& step : json::find(timeline, "expected")->as_array()) {
      SCOPED_TRACE(text(step, "at"));
      run.go_to(*json::find(step, "at"));
      ConditionalUpdate update{testing::version("4.7.0"), {}};
      std::vector<std::string> expected, results, evaluated;
      int number = 0;
      for (const json::Value& call : json::find(step, "calls")->as_array()) {
        const std::string name = "R" + std::to_string(number++);
        update.risks.push_back(testing::risk(name, {testing::promql_rule(text(call, "requested"))}));
        if (const auto query = text(call, "evaluated"); !query.empty()) evaluated.push_back(query);
        expected.push_back(text(call, "result"));
      }
      const auto verdicts = rounds.run(std::span(&update, 1));
      ASSERT_TRUE(verdicts.has_value());
      EXPECT_EQ(run.evaluator.take_evaluated(), evaluated);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const RiskVerdict& verdict = verdicts->front().risks[i];
        const std::string result = shown({.outcome = verdict.outcome, .error = verdict.error});
        // Two risks that ask the same question are told the same.
        const std::string wanted = text(json::find(step, "calls")->as_array()[i], "requested") ==
                                           text(json::find(step, "calls")->as_array()[0], "requested")
                                       ? expected[0]
                                       : expected[i];
        EXPECT_EQ(result, wanted);
      }
    }
  });
}

}  // namespace
}  // namespace fairway::risk
