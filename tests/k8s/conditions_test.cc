// SPDX-License-Identifier: Apache-2.0

// tests/k8s/data/conditions.json: a list of conditions, what a controller says of generation 3 at
// 2026-02-19T23:09:12Z, and the list after that.
#include "k8s/conditions.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "k8s/data.h"

namespace fairway::k8s {
namespace {

const ConditionPolicy& policy(const std::string& name) {
  static const ConditionPolicy gateway =
      gateway_policy({"Accepted", "Programmed"}, {"Conflicted", "Overlapping", "PartiallyInvalid"});
  static const ConditionPolicy none = gateway_policy({});
  if (name == "cluster version") return cluster_version_policy();
  return name == "gateway" ? gateway : none;
}

FakeClock clock_of_the_tests() {
  return FakeClock(parse_time("2026-02-19T23:09:12Z").value() + std::chrono::milliseconds(700));
}

/// Returns an object of that generation with these conditions.
Dynamic object_with(const json::Array& conditions, std::int64_t generation) {
  Dynamic object = Dynamic::parse(R"({"apiVersion":"v1","kind":"K"})").value();
  object.set("metadata.generation", generation);
  object.array("status.conditions") = conditions;
  return object;
}

void apply(Conditions& conditions, const json::Array& step) {
  const auto part = [&](std::size_t i) {
    return i < step.size() ? std::string(step[i].as_string()) : std::string();
  };
  const std::string what = part(0), type = part(1), reason = part(2), message = part(3);
  if (what == "set_true") return conditions.set_true(type, reason, message);
  if (what == "set_false") return conditions.set_false(type, reason, message);
  if (what == "unknown") return conditions.unknown(type, reason, message);
  if (what == "error") return conditions.error(type, ConditionError{reason, message});
  if (what == "clear") return conditions.error(type, std::nullopt);
  throw std::runtime_error("no such step: " + what);
}

TEST(Conditions, AreWrittenAsTheTableSays) {
  for (const json::Value& row : testing::read_cases("conditions.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    Dynamic object = object_with(testing::field(row, "before").as_array(), 3);
    const FakeClock clock = clock_of_the_tests();
    std::string fault;
    try {
      Conditions conditions(object, policy(testing::text(row, "policy")), clock);
      for (const json::Value& step : testing::field(row, "do").as_array()) apply(conditions, step.as_array());
      if (const json::Value* changed = json::find(row, "changed")) {
        EXPECT_EQ(conditions.changed(), changed->as_bool());
      }
    } catch (const std::logic_error& error) {
      fault = error.what();
    }
    if (const auto expected = json::find_string(row, "fault")) {
      EXPECT_NE(fault.find(*expected), std::string::npos) << fault;
    } else {
      EXPECT_EQ(fault, "");
      // As text: the order of what was there is kept.
      EXPECT_EQ(json::to_text(json::Value(object.array("status.conditions"))),
                json::to_text(testing::field(row, "after")));
    }
  }
}

TEST(Conditions, AreThoseOfAnObjectsStatus) {
  Dynamic object = Dynamic::parse(R"({"apiVersion":"v1","kind":"K","metadata":{"generation":7}})").value();
  const FakeClock clock = clock_of_the_tests();
  Conditions conditions(object, policy("gateway"), clock);
  EXPECT_FALSE(conditions.is_true("Accepted"));
  conditions.set_true("Accepted", "Accepted");
  EXPECT_TRUE(conditions.is_true("Accepted"));
  EXPECT_EQ(conditions.find("Conflicted"), std::nullopt);
  const auto accepted = find_condition(object, "Accepted");
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->observed_generation(), 7);
  EXPECT_EQ(accepted->reason(), "Accepted");
  EXPECT_FALSE(find_condition(object, "Conflicted"));
}

TEST(Conditions, OfAnItemStayWithItWhileTheListGrows) {
  Dynamic route = object_with({}, 4);
  const FakeClock clock = clock_of_the_tests();
  route.append("status.parents").set("controllerName", "example.com/a");
  Conditions first(route, "status.parents", 0, policy("gateway"), clock);
  for (int i = 1; i < 100; ++i) {
    route.append("status.parents").set("controllerName", "example.com/" + std::to_string(i));
    Conditions(route, "status.parents", i, policy("gateway"), clock)
        .set_false("Accepted", "NoMatchingParent");
  }
  first.set_true("Accepted", "Accepted", "attached");
  EXPECT_TRUE(first.changed());
  const auto parents = route.items("status.parents");
  ASSERT_EQ(parents.size(), 100U);
  EXPECT_EQ(parents[0].text("controllerName"), "example.com/a");
  EXPECT_EQ(find_condition(parents[0], "Accepted", "conditions")->message(), "attached");
  EXPECT_EQ(find_condition(parents[0], "Accepted", "conditions")->observed_generation(), 4);
  EXPECT_TRUE(find_condition(parents[99], "Accepted", "conditions")->is_false());
  EXPECT_THROW(Conditions(route, "status.parents", 100, policy("gateway"), clock), std::out_of_range);
}

TEST(Conditions, OfAnItemFollowItWhileOthersAreRemoved) {
  Dynamic route = object_with({}, 4);
  const FakeClock clock = clock_of_the_tests();
  for (const char* name : {"stale", "mine", "theirs"}) {
    Editor parent = route.append("status.parents");
    parent.set("parentRef.name", name);
    parent.set("controllerName", std::string(name) == "theirs" ? "example.com/b" : "example.com/a");
  }
  Conditions mine(route, "status.parents", 1, policy("gateway"), clock);
  json::Array& parents = route.array("status.parents");
  parents.erase(parents.begin());
  mine.set_true("Accepted", "Accepted", "attached");
  const auto now = route.items("status.parents");
  ASSERT_EQ(now.size(), 2U);
  EXPECT_EQ(now[0].text("parentRef.name"), "mine");
  EXPECT_EQ(find_condition(now[0], "Accepted", "conditions")->message(), "attached");
  EXPECT_FALSE(now[1].has("conditions")) << "another controller's";
  parents.erase(parents.begin());
  EXPECT_THROW(mine.set_true("Accepted", "Accepted"), std::out_of_range);
  EXPECT_FALSE(route.items("status.parents")[0].has("conditions"));
}

TEST(Conditions, NeverGoBackToAnOlderGeneration) {
  const json::Array newer = json::parse(R"([
    {"type":"Accepted","status":"False","observedGeneration":5,"lastTransitionTime":"2026-02-01T00:00:00Z",
     "reason":"Invalid","message":"of generation 5"},
    {"type":"Conflicted","status":"True","observedGeneration":5,"lastTransitionTime":"2026-02-01T00:00:00Z",
     "reason":"HostnameConflict","message":"of generation 5"},
    {"type":"Programmed","status":"True","observedGeneration":3,"lastTransitionTime":"2026-02-01T00:00:00Z",
     "reason":"Programmed","message":""}])")
                                .value()
                                .as_array();
  Dynamic object = object_with(newer, 4);
  const FakeClock clock = clock_of_the_tests();
  Conditions conditions(object, policy("gateway"), clock);
  EXPECT_TRUE(conditions.is_outdated());
  conditions.set_true("Accepted", "Accepted", "of generation 4");
  conditions.clear("Conflicted");
  EXPECT_FALSE(conditions.changed());
  EXPECT_EQ(find_condition(object, "Accepted")->message(), "of generation 5");
  EXPECT_EQ(find_condition(object, "Conflicted")->observed_generation(), 5);
  conditions.set_true("Programmed", "Programmed");
  EXPECT_EQ(find_condition(object, "Programmed")->observed_generation(), 4);
  EXPECT_TRUE(conditions.changed());
}

TEST(Conditions, TakeTheirTextsFromThemselves) {
  Dynamic object = object_with({}, 1);
  const FakeClock clock = clock_of_the_tests();
  Conditions conditions(object, policy("none"), clock);
  conditions.set_true("example.com/A", "Short", "short too");
  const Condition first = *conditions.find("example.com/A");
  conditions.set_true("example.com/B", first.reason(), first.message());
  EXPECT_EQ(conditions.find("example.com/B")->reason(), "Short");
  EXPECT_EQ(conditions.find("example.com/B")->message(), "short too");
}

TEST(Conditions, CutMessagesToWhatTheServerTakes) {
  Dynamic object = object_with({}, 1);
  const FakeClock clock = clock_of_the_tests();
  Conditions conditions(object, policy("none"), clock);
  std::string longest(32'768, 'x'), euros = "x";
  while (euros.size() < 40'000) euros += "€";
  conditions.set_true("example.com/A", "A", longest);
  EXPECT_EQ(conditions.find("example.com/A")->message(), longest);
  conditions.set_true("example.com/A", "A", euros);
  const std::string_view cut = conditions.find("example.com/A")->message();
  EXPECT_LE(cut.size(), longest.size());
  EXPECT_GT(cut.size(), longest.size() - 8);
  EXPECT_TRUE(cut.ends_with("€…"));
  conditions.set_true("example.com/A", "A", "not UTF-8: \xff");
  EXPECT_EQ(conditions.find("example.com/A")->message(), "not UTF-8: \\xff");
}

TEST(Condition, ReadsItsStatus) {
  EXPECT_EQ(read_condition_status("True"), ConditionStatus::is_true);
  EXPECT_EQ(read_condition_status("False"), ConditionStatus::is_false);
  for (const char* text : {"Unknown", "", "true", "yes"}) {
    EXPECT_EQ(read_condition_status(text), ConditionStatus::unknown) << text;
  }
}

TEST(Condition, ReasonsAreThoseOfTheApi) {
  for (const std::string& text :
       std::vector<std::string>{"A", "a", "Accepted", "A_1", "A,b:c_", std::string(1024, 'x')}) {
    EXPECT_TRUE(is_condition_reason(text)) << text;
  }
  for (const std::string& text :
       std::vector<std::string>{"", "1", "_a", "a b", "a,", "a:", "a-b", "é", std::string(1025, 'x')}) {
    EXPECT_FALSE(is_condition_reason(text)) << text;
  }
}

TEST(Condition, ListsAreComparedAsTheServerKeepsThem) {
  for (const json::Value& row : testing::read_cases("same_conditions.json")) {
    const json::Array& a = testing::field(row, "a").as_array();
    const json::Array& b = testing::field(row, "b").as_array();
    EXPECT_EQ(same_conditions(a, b), testing::field(row, "same").as_bool()) << json::to_text(row);
    EXPECT_EQ(same_conditions(b, a), testing::field(row, "same").as_bool()) << json::to_text(row);
    EXPECT_TRUE(same_conditions(a, a));
  }
}

}  // namespace
}  // namespace fairway::k8s
