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

void apply(Conditions& conditions, const json::Array& step) {
  const auto part = [&](std::size_t i) {
    return i < step.size() ? std::string(step[i].as_string()) : std::string();
  };
  const std::string what = part(0), type = part(1), reason = part(2), message = part(3);
  if (what == "set_true") return conditions.set_true(type, reason, message);
  if (what == "set_false") return conditions.set_false(type, reason, message);
  if (what == "unknown") return conditions.unknown(type, reason, message);
  if (what == "error") return conditions.error(type, Problem{reason, message});
  if (what == "clear") return conditions.error(type, std::nullopt);
  throw std::runtime_error("no such step: " + what);
}

TEST(Conditions, AreWrittenAsTheTableSays) {
  for (const json::Value& row : testing::read_cases("conditions.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    json::Array list = testing::field(row, "before").as_array();
    const FakeClock clock = clock_of_the_tests();
    std::string fault;
    try {
      Conditions conditions(list, policy(testing::text(row, "policy")), 3, clock);
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
      EXPECT_EQ(json::to_text(json::Value(list)), json::to_text(testing::field(row, "after")));
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

TEST(Conditions, TakeTheirTextsFromThemselves) {
  json::Array list;
  const FakeClock clock = clock_of_the_tests();
  Conditions conditions(list, policy("none"), 1, clock);
  conditions.set_true("example.com/A", "Short", "short too");
  const Condition first = *conditions.find("example.com/A");
  conditions.set_true("example.com/B", first.reason(), first.message());
  EXPECT_EQ(conditions.find("example.com/B")->reason(), "Short");
  EXPECT_EQ(conditions.find("example.com/B")->message(), "short too");
}

TEST(Conditions, CutMessagesToWhatTheServerTakes) {
  json::Array list;
  const FakeClock clock = clock_of_the_tests();
  Conditions conditions(list, policy("none"), 1, clock);
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
