// SPDX-License-Identifier: Apache-2.0

// Rounds over time: order, sharing, slots, stopping, and types that are added.
#include "risk/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "risk/scripted_evaluator.h"

namespace fairway::risk {
namespace {

using namespace std::chrono_literals;
using testing::promql_rule;
using testing::sample;
using testing::ScriptedEvaluator;

using Queries = std::vector<std::string>;

ConditionalUpdate update(const std::string& target,
                         const std::vector<std::pair<std::string, std::string>>& risks) {
  ConditionalUpdate made{testing::version(target), {}};
  for (const auto& [name, query] : risks) made.risks.push_back(testing::risk(name, {promql_rule(query)}));
  return made;
}

Answer no(const std::string&) {
  return sample(0);
}

class RoundsTest : public ::testing::Test {
 protected:
  std::vector<UpdateVerdict> run(Rounds& rounds, const std::vector<ConditionalUpdate>& updates) {
    auto verdicts = rounds.run(updates);
    EXPECT_TRUE(verdicts.has_value());
    return verdicts.value_or(std::vector<UpdateVerdict>(updates.size()));
  }

  FakeClock clock_{parse_time("2026-02-19T12:00:00Z").value()};
  const Registry registry_ = standard_registry();
};

TEST_F(RoundsTest, HighestTargetFirstThenNamesAndVerdictsInTheOrderGiven) {
  ScriptedEvaluator evaluator([](const std::string& query) { return sample(query == "m"); });
  Rounds rounds(registry_, evaluator, {.between_any = 0s, .between_same = 0s}, clock_);
  const auto verdicts =
      run(rounds, {update("4.6.30", {{"Zeta", "z"}, {"Alpha", "a"}}), update("4.7.1", {{"Mid", "m"}}),
                   update("4.6.31", {{"Beta", "b"}, {"Alpha", "a"}})});
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"m", "a", "b", "z"}));
  EXPECT_EQ(verdicts[0].recommended.status, Status::is_true);
  EXPECT_EQ(verdicts[1].recommended.reason, "Mid");
  EXPECT_EQ(verdicts[2].recommended.status, Status::is_true);
}

TEST_F(RoundsTest, ResultsAreKeptByRuleAndNotByName) {
  ScriptedEvaluator evaluator(no);
  Rounds rounds(registry_, evaluator, {}, clock_);
  ConditionalUpdate always{testing::version("4.6.30"), {testing::risk("Shared", graph::always_rule())}};
  const auto verdicts = run(rounds, {always, update("4.6.31", {{"Shared", "q"}})});
  EXPECT_EQ(verdicts[0].recommended.reason, "Shared");
  EXPECT_EQ(verdicts[1].recommended.status, Status::is_true);
}

TEST_F(RoundsTest, EachVerdictSaysWhoEvaluatedItAndWhen) {
  ScriptedEvaluator evaluator([this](const std::string&) {
    clock_.advance(2s);
    return sample(1);
  });
  Rounds rounds(registry_, evaluator, {}, clock_);
  const std::vector<ConditionalUpdate> updates{update("4.7.1", {{"A", "a"}, {"B", "b"}})};
  auto risks = run(rounds, updates)[0].risks;
  EXPECT_EQ(risks[0].evaluator, "scripted");
  EXPECT_EQ(risks[0].value, 1);
  EXPECT_EQ(format_time(risks[0].last.value()), "2026-02-19T12:00:02Z");
  EXPECT_EQ(format_time(risks[0].next.value()), "2026-02-19T13:00:02Z");
  EXPECT_EQ(risks[1].evaluator, "");
  EXPECT_EQ(risks[1].error, "evaluation is throttled until 12:10:02Z");
  EXPECT_FALSE(risks[1].last || risks[1].value);
  EXPECT_EQ(format_time(risks[1].next.value()), "2026-02-19T12:10:02Z");

  clock_.advance(10min);
  risks = run(rounds, updates)[0].risks;
  EXPECT_EQ(format_time(risks[1].last.value()), "2026-02-19T12:10:04Z");
  // A's hour is not over.
  EXPECT_EQ(format_time(risks[0].next.value()), "2026-02-19T13:00:02Z");
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"a", "b"}));
}

TEST_F(RoundsTest, TellsWhatIsKnownAndAsksNobody) {
  ScriptedEvaluator evaluator(no);
  Rounds rounds(registry_, evaluator, {.between_any = 0s, .between_same = 0s}, clock_);
  const std::vector<ConditionalUpdate> updates{
      update("4.7.1", {{"A", "a"}}),
      {testing::version("4.7.0"), {testing::risk("Always", graph::always_rule())}}};
  auto verdicts = rounds.known(updates);
  EXPECT_EQ(evaluator.calls(), 0);
  EXPECT_EQ(verdicts[0].recommended.status, Status::unknown);
  EXPECT_EQ(verdicts[0].risks[0].error, "evaluation has not ended yet");
  EXPECT_EQ(verdicts[1].recommended.status, Status::is_false);
  run(rounds, updates);
  verdicts = rounds.known(updates);
  EXPECT_EQ(evaluator.calls(), 1);
  EXPECT_EQ(verdicts[0].recommended.status, Status::is_true);
}

TEST_F(RoundsTest, TellsVerdictsAsTheyComeOnceASecondAtMost) {
  ScriptedEvaluator evaluator([this](const std::string&) {
    clock_.advance(600ms);
    return sample(0);
  });
  Rounds rounds(registry_, evaluator, {.between_any = 0s, .between_same = 0s}, clock_);
  const std::vector<ConditionalUpdate> updates{update("4.7.4", {{"A", "a"}}), update("4.7.3", {{"B", "b"}}),
                                               update("4.7.2", {{"C", "c"}}), update("4.7.1", {{"D", "d"}}),
                                               update("4.7.0", {{"E", "e"}})};
  std::vector<std::string> told;
  const auto verdicts = rounds.run(updates, {}, [&](const std::vector<UpdateVerdict>& so_far) {
    std::string line;
    for (const UpdateVerdict& verdict : so_far)
      line += verdict.recommended.status == Status::is_true ? "yes " : "? ";
    told.push_back(line);
  });
  ASSERT_TRUE(verdicts);
  EXPECT_EQ(told, (std::vector<std::string>{"yes yes ? ? ? ", "yes yes yes yes ? "}));
  for (const UpdateVerdict& verdict : *verdicts) EXPECT_EQ(verdict.recommended.status, Status::is_true);
  EXPECT_EQ(evaluator.calls(), 5);
}

TEST_F(RoundsTest, EachVerdictHasItsPlaceInTheQueue) {
  ScriptedEvaluator evaluator(no);
  Rounds rounds(registry_, evaluator, {}, clock_);
  const std::vector<ConditionalUpdate> updates{
      update("4.7.1", {{"A", "a"}, {"B", "b"}, {"C", "c"}, {"AlsoB", "b"}}),
      {testing::version("4.7.0"), {testing::risk("Always", graph::always_rule())}}};
  const auto places = [&] {
    std::vector<std::size_t> found;
    const auto verdicts = run(rounds, updates);
    for (const RiskVerdict& risk : verdicts[0].risks) found.push_back(risk.place.value_or(0));
    EXPECT_FALSE(verdicts[1].risks[0].place);
    return found;
  };
  using Places = std::vector<std::size_t>;
  // A was evaluated, and becomes due when the others have been.
  EXPECT_EQ(places(), (Places{3, 1, 2, 1}));
  EXPECT_EQ(places(), (Places{3, 1, 2, 1}));
  clock_.advance(10min);
  EXPECT_EQ(places(), (Places{2, 3, 1, 3}));
  clock_.advance(10min);
  EXPECT_EQ(places(), (Places{1, 2, 3, 2}));
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"a", "b", "c"}));

  Rounds without_queue(registry_, evaluator, {.between_any = 0s}, clock_);
  EXPECT_FALSE(run(without_queue, updates)[0].risks[1].place);
}

// Ten minutes apart, and each an hour after itself, whatever is asked how often; and everybody gets a turn.
TEST_F(RoundsTest, ManyQuestionsKeepThePollingRules) {
  std::map<std::string, std::vector<SteadyTime>> ends;
  SteadyTime last{};
  ScriptedEvaluator evaluator([&](const std::string& query) {
    if (last != SteadyTime{}) {
      EXPECT_GE(clock_.steady() - last, 10min);
    }
    if (!ends[query].empty()) {
      EXPECT_GE(clock_.steady() - ends[query].back(), 1h);
    }
    clock_.advance(300ms);
    last = clock_.steady();
    ends[query].push_back(last);
    return query == "q3" ? Answer::failure("executing PromQL query: no") : sample(0);
  });
  Rounds rounds(registry_, evaluator, {}, clock_);
  std::vector<ConditionalUpdate> updates;
  for (int i = 0; i < 9; ++i) {
    const std::string query = "q" + std::to_string(i);
    updates.push_back(update("4.7." + std::to_string(i), {{"Own", query}, {"Shared", "q0"}}));
  }
  const SteadyTime end = clock_.steady() + 48h;
  while (clock_.steady() < end) {
    run(rounds, updates);
    clock_.advance(173s);
  }
  ASSERT_EQ(ends.size(), 9U);
  for (const auto& [query, times] : ends) {
    EXPECT_GE(times.size(), 27U) << query;  // a turn every 9 slots, which are 4 rounds apart
    EXPECT_LE(times.size(), 48U) << query;
  }
}

TEST_F(RoundsTest, AnEvaluatorThatAnswersManyNeedsOneSlot) {
  ScriptedEvaluator evaluator(no, true);
  Rounds rounds(registry_, evaluator, {}, clock_);
  ConditionalUpdate two_rules{testing::version("4.6.30"),
                              {testing::risk("R", {promql_rule("first"), promql_rule("second")})}};
  const std::vector<ConditionalUpdate> updates{update("4.7.1", {{"A", "a"}, {"B", "b"}}), two_rules};
  for (const UpdateVerdict& verdict : run(rounds, updates))
    EXPECT_EQ(verdict.recommended.status, Status::is_true);
  EXPECT_EQ(evaluator.calls(), 1);
  // Who was asked for first comes first; rules behind others come last.
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"a", "b", "first", "second"}));
  clock_.advance(30min);
  run(rounds, updates);
  EXPECT_EQ(evaluator.calls(), 1);
  // A new question goes alone: the others have their hour.
  auto more = updates;
  more.push_back(update("4.8.0", {{"C", "c"}}));
  run(rounds, more);
  EXPECT_EQ(evaluator.calls(), 2);
}

// While a rule waits for its slot, nobody knows whether those behind it count.
TEST_F(RoundsTest, ARuleThatWaitsHasNotFailed) {
  ScriptedEvaluator evaluator(no);
  Rounds rounds(registry_, evaluator, {}, clock_);
  run(rounds, {update("4.7.1", {{"A", "known"}})});
  ConditionalUpdate narrows{testing::version("4.6.30"),
                            {testing::risk("R", {promql_rule("new"), json::Object{{"type", "Always"}}})}};
  ConditionalUpdate widens{testing::version("4.6.31"),
                           {testing::risk("R", {promql_rule("new"), promql_rule("known")})}};
  clock_.advance(1min);
  const auto verdicts = run(rounds, {narrows, widens});
  EXPECT_EQ(verdicts[0].recommended.status, Status::unknown);
  EXPECT_EQ(
      verdicts[0].recommended.message,
      "Unable to evaluate PromQL to determine if the cluster is impacted by R (evaluation is throttled until "
      "12:10:00Z). https://example.com/R");
  EXPECT_EQ(verdicts[0].risks[0].rule_type, "PromQL");
  EXPECT_EQ(verdicts[1].recommended.status, Status::unknown);
  EXPECT_EQ(verdicts[1].risks[0].error, "evaluation is throttled until 12:10:00Z");
}

TEST_F(RoundsTest, WhatWasNotSentCostsNoSlot) {
  std::map<std::string, Answer> answers;
  ScriptedEvaluator evaluator([&](const std::string& query) { return answers.at(query); });
  Rounds rounds(registry_, evaluator, {}, clock_);
  const std::vector<ConditionalUpdate> updates{update("4.7.1", {{"A", "a"}, {"B", "b"}})};
  answers["a"] = Answer::failure("no token", Answer::Spent::nothing);
  answers["b"] = Answer::failure("no token", Answer::Spent::nothing);
  auto risks = run(rounds, updates)[0].risks;
  EXPECT_EQ(risks[0].error, "no token");
  EXPECT_EQ(risks[1].error, "no token");
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"a", "b"}));
  clock_.advance(2min);
  answers["a"] = answers["b"] = sample(0);
  risks = run(rounds, updates)[0].risks;
  EXPECT_EQ(risks[0].outcome, Outcome::does_not_match);
  EXPECT_EQ(risks[1].error, "no token");  // what was last known of it; its slot comes
}

// Otherwise all but the first would keep results of hours ago for as long as the server is away.
TEST_F(RoundsTest, UnreachableEvaluatorsAreRetriedLast) {
  bool away = false;
  ScriptedEvaluator evaluator([&](const std::string&) {
    return away ? Answer::failure("nobody there", Answer::Spent::turn) : sample(0);
  });
  Rounds rounds(registry_, evaluator, {}, clock_);
  const std::vector<ConditionalUpdate> updates{update("4.7.1", {{"A", "a"}, {"B", "b"}, {"C", "c"}})};
  for (int i = 0; i < 6; ++i, clock_.advance(10min)) run(rounds, updates);
  evaluator.take_evaluated();
  away = true;
  for (int turn = 0; turn < 5; ++turn, clock_.advance(10min)) {
    const auto risks = run(rounds, updates)[0].risks;
    const auto failed = std::ranges::count(risks, Outcome::failed, &RiskVerdict::outcome);
    EXPECT_EQ(failed, std::min(turn + 1, 3)) << turn;
  }
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"a", "b", "c", "a", "b"}));
  // None of them has to wait for an hour.
  away = false;
  for (int turn = 0; turn < 3; ++turn, clock_.advance(10min)) run(rounds, updates);
  EXPECT_EQ(run(rounds, updates)[0].recommended.status, Status::is_true);
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"c", "a", "b"}));
}

// One query on behalf of many that failed: they are unknown now, and each may go by itself in the next slots.
TEST_F(RoundsTest, WhatFailedOnBehalfOfOthersDoesNotBeginTheirHour) {
  bool works = false;
  ScriptedEvaluator evaluator(
      [&](const std::string&) {
        return works ? sample(0) : Answer::failure("the selectors failed", Answer::Spent::slot);
      },
      true);
  Rounds rounds(registry_, evaluator, {}, clock_);
  const std::vector<ConditionalUpdate> updates{update("4.7.1", {{"A", "a"}, {"B", "b"}})};
  const auto failed = run(rounds, updates);
  for (const RiskVerdict& risk : failed[0].risks) EXPECT_EQ(risk.error, "the selectors failed");
  works = true;
  clock_.advance(9min);
  EXPECT_EQ(run(rounds, updates)[0].recommended.status, Status::unknown);
  EXPECT_EQ(evaluator.calls(), 1);
  clock_.advance(1min);
  EXPECT_EQ(run(rounds, updates)[0].recommended.status, Status::is_true);
  EXPECT_EQ(evaluator.calls(), 2);
}

TEST_F(RoundsTest, StoppingEndsARound) {
  std::stop_source stop;
  ScriptedEvaluator evaluator([&](const std::string& query) {
    if (query == "b") stop.request_stop();
    return sample(0);
  });
  Rounds rounds(registry_, evaluator, {.between_any = 0s, .between_same = 1h}, clock_);
  const std::vector<ConditionalUpdate> updates{update("4.7.1", {{"A", "a"}, {"B", "b"}, {"C", "c"}})};
  const auto stopped = rounds.run(updates, stop.get_token());
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"a", "b"}));
  // What was known before the stop is kept; what was under way is not.
  run(rounds, updates);
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"b", "c"}));
}

TEST_F(RoundsTest, WhatNobodyAsksForIsForgotten) {
  ScriptedEvaluator evaluator(no);
  Rounds rounds(registry_, evaluator, {}, clock_);
  run(rounds, {update("4.7.1", {{"A", "a"}})});
  EXPECT_EQ(rounds.throttle().size(), 1U);
  clock_.advance(24h + 1s);
  run(rounds, {});
  EXPECT_EQ(rounds.throttle().size(), 0U);
}

TEST_F(RoundsTest, WhatIsForgottenSoonIsNotSentAgainBeforeItsHour) {
  ScriptedEvaluator evaluator(no);
  Rounds rounds(registry_, evaluator, {.between_any = 0s, .unused = 2s}, clock_);
  for (int i = 0; i < 1200; ++i) {
    run(rounds, {update("4.7.1", {{"A", "a"}})});
    clock_.advance(3s);
  }
  EXPECT_EQ(evaluator.calls(), 1);
  run(rounds, {update("4.7.1", {{"A", "a"}})});
  EXPECT_EQ(evaluator.calls(), 2);
}

/// A condition type that matches on one platform.
class Platform final : public ConditionType {
 public:
  explicit Platform(std::string here) : here_(std::move(here)) {}
  std::string_view name() const override { return "Platform"; }
  Result<Condition> read(const json::Object& rule) const override {
    const json::Value* wanted = rule.if_contains("platform");
    if (wanted == nullptr) return fail(ErrorCode::invalid, "the 'platform' property is required");
    return Answer{.outcome = *wanted == json::Value(here_) ? Outcome::matches : Outcome::does_not_match};
  }

 private:
  std::string here_;
};

// The enhancement of docs/risks.md, section Non-PromQL filters.
TEST_F(RoundsTest, ATypeCanBeAdded) {
  Registry registry = standard_registry();
  registry.add(std::make_unique<Platform>("VSphere"));
  ScriptedEvaluator evaluator(no);
  Rounds rounds(registry, evaluator, {}, clock_);
  const auto risk = [](const char* platform) {
    return testing::risk("R", {json::Object{{"type", "Platform"}, {"platform", platform}}, promql_rule("q")});
  };
  const auto verdicts = run(
      rounds, {{testing::version("4.7.1"), {risk("AWS")}}, {testing::version("4.7.2"), {risk("VSphere")}}});
  EXPECT_EQ(verdicts[0].recommended.status, Status::is_true);
  EXPECT_EQ(verdicts[1].recommended.status, Status::is_false);
  EXPECT_TRUE(evaluator.take_evaluated().empty());
}

/// A condition type that checks whether a file exists.
class FileExists final : public ConditionType {
 public:
  explicit FileExists(const std::vector<Outcome>& says) : says_(says) {}
  std::string_view name() const override { return "FileExists"; }
  Result<Condition> read(const json::Object&) const override {
    class Look final : public Inquiry {
     public:
      explicit Look(const std::vector<Outcome>& says) : says_(says) {}
      Answer ask(std::stop_token) override {
        const Outcome outcome = says_.at(asked_++);
        return outcome == Outcome::failed ? Answer::failure("the disk is away") : Answer{.outcome = outcome};
      }

     private:
      const std::vector<Outcome>& says_;
      std::size_t asked_ = 0;
    };
    return std::make_shared<Look>(says_);
  }

 private:
  const std::vector<Outcome>& says_;
};

// Neither once and for all, nor as often as there are risks.
TEST_F(RoundsTest, ATypeMayAskTheWorldInEachRound) {
  Registry registry = standard_registry();
  const std::vector<Outcome> says{Outcome::does_not_match, Outcome::matches, Outcome::failed,
                                  Outcome::does_not_match};
  registry.add(std::make_unique<FileExists>(says));
  ScriptedEvaluator evaluator(no);
  Rounds rounds(registry, evaluator, {}, clock_);
  const json::Object rule{{"type", "FileExists"}};
  const std::vector<ConditionalUpdate> updates{{testing::version("4.7.1"), {testing::risk("A", {rule})}},
                                               {testing::version("4.7.2"), {testing::risk("B", {rule})}}};
  const std::vector<Status> wanted{Status::is_true, Status::is_false, Status::unknown, Status::is_true};
  for (const Status status : wanted) {
    for (const UpdateVerdict& verdict : run(rounds, updates)) {
      EXPECT_EQ(verdict.recommended.status, status);
      EXPECT_EQ(verdict.evaluating.status, Status::is_true);
    }
  }
  EXPECT_TRUE(evaluator.take_evaluated().empty());
}

// Otherwise an update service that has withdrawn its risks would hold up the present ones for hours.
TEST_F(RoundsTest, WhatNobodyRequestsAnyMoreGivesUpItsSlot) {
  for (const bool many : {false, true}) {
    SCOPED_TRACE(many);
    FakeClock clock;
    ScriptedEvaluator evaluator(no, many);
    Rounds rounds(registry_, evaluator, {}, clock);
    std::vector<std::pair<std::string, std::string>> withdrawn;
    for (int i = 0; i < 20; ++i) withdrawn.emplace_back("W" + std::to_string(i), "w" + std::to_string(i));
    // The slot is taken when they come, and they wait.
    run(rounds, {update("4.7.0", {{"First", "first"}})});
    clock.advance(1min);
    run(rounds, {update("4.7.1", withdrawn)});
    evaluator.take_evaluated();
    clock.advance(9min);
    const std::vector<ConditionalUpdate> present{update("4.7.2", {{"A", "a"}}),
                                                 update("4.7.3", {{"B", "b"}})};
    auto verdicts = run(rounds, present);
    const auto evaluated = evaluator.take_evaluated();
    EXPECT_EQ(evaluated.at(0), "b");
    EXPECT_EQ(verdicts[1].recommended.status, Status::is_true);
    if (many) {
      EXPECT_EQ(evaluated.at(1), "a");
      continue;
    }
    clock.advance(10min);
    verdicts = run(rounds, present);
    EXPECT_EQ(verdicts[0].recommended.status, Status::is_true);
    EXPECT_EQ(evaluator.take_evaluated(), (Queries{"a"}));
    // Where nobody else waits there is a slot for them.
    clock.advance(10min);
    run(rounds, present);
    EXPECT_EQ(evaluator.take_evaluated(), (Queries{"w0"}));
  }
}

// A result that nobody requests any more is renewed once before a question that is new, but not before one
// that waits.
TEST_F(RoundsTest, ResultsThatNobodyRequestsAnyMoreAreRenewedBehindWhatWaits) {
  ScriptedEvaluator evaluator(no);
  Rounds rounds(registry_, evaluator, {}, clock_);
  const std::vector<ConditionalUpdate> old{update("4.7.1", {{"A", "a"}, {"B", "b"}, {"C", "c"}})};
  for (int i = 0; i < 4; ++i, clock_.advance(10min)) run(rounds, old);
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"a", "b", "c"}));
  clock_.advance(2h);
  const std::vector<ConditionalUpdate> present{update("4.7.2", {{"D", "d"}, {"E", "e"}})};
  for (int i = 0; i < 5; ++i, clock_.advance(10min)) run(rounds, present);
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"a", "d", "e", "b", "c"}));
}

// A rule behind one that fails is requested, though its turn comes later in the round.
TEST_F(RoundsTest, WhatStandsBehindAFailedRuleKeepsItsPlace) {
  ScriptedEvaluator evaluator(
      [](const std::string& query) { return query == "bad" ? Answer::failure("no") : sample(0); });
  Rounds rounds(registry_, evaluator, {}, clock_);
  const ConditionalUpdate two{testing::version("4.7.1"),
                              {testing::risk("R", {promql_rule("bad"), promql_rule("second")})}};
  run(rounds, {two});
  clock_.advance(1min);
  run(rounds, {two});
  clock_.advance(9min);
  // What is new stands first in the round, but behind it in the queue.
  run(rounds, {two, update("4.8.0", {{"New", "new"}})});
  EXPECT_EQ(evaluator.take_evaluated(), (Queries{"bad", "second"}));
}

TEST(Reasons, AreWordsOfTheirPattern) {
  for (const char* name : {"A", "a1", "BugA", "A_b", "A:b,c", "A1"}) EXPECT_TRUE(is_reason(name)) << name;
  for (const char* name : {"", "1A", "_A", "A-B", "A:", "A,", "A b", "\xc3\x84"})
    EXPECT_FALSE(is_reason(name)) << name;
  // Kubernetes refuses a longer one, and the whole status with it.
  EXPECT_TRUE(is_reason(std::string(1024, 'a')));
  EXPECT_FALSE(is_reason(std::string(1025, 'a')));
}

TEST(Canonical, KeysAreSortedAtEveryLevel) {
  std::string text;
  append_canonical(text, json::parse(R"({"b":[{"d":1,"c":null}],"a":"\u00e9\n","e":1.5})").value());
  EXPECT_EQ(text, R"({"a":"é\n","b":[{"c":null,"d":1}],"e":1.5})");
}

}  // namespace
}  // namespace fairway::risk
