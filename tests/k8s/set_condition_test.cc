// SPDX-License-Identifier: Apache-2.0

#include "k8s/set_condition.h"

#include <gtest/gtest.h>

namespace fairway::k8s {
namespace {

using namespace std::chrono_literals;

std::string after(std::string_view list, ConditionStatus status, std::string_view reason,
                  std::string_view message, EmptyTexts empty_texts = EmptyTexts::left_out) {
  json::Array conditions = json::parse(list).value().as_array();
  set_condition(conditions, "Ready", status, reason, message, WallTime(1'772'000'000s), empty_texts);
  return json::to_text(conditions);
}

TEST(SetCondition, AppendsInTheOrderOfTheApi) {
  EXPECT_EQ(after("[]", ConditionStatus::is_true, "AsExpected", "It is."),
            R"([{"type":"Ready","status":"True","lastTransitionTime":"2026-02-25T06:13:20Z",)"
            R"("reason":"AsExpected","message":"It is."}])");
  EXPECT_EQ(after(R"([{"type":"Other"}])", ConditionStatus::unknown, "", ""),
            R"([{"type":"Other"},{"type":"Ready","status":"Unknown","lastTransitionTime":)"
            R"("2026-02-25T06:13:20Z"}])");
}

TEST(SetCondition, WritesEmptyTextsWhereTheyAreRequired) {
  EXPECT_EQ(after("[]", ConditionStatus::is_true, "Match", "", EmptyTexts::written),
            R"([{"type":"Ready","status":"True","lastTransitionTime":"2026-02-25T06:13:20Z",)"
            R"("reason":"Match","message":""}])");
}

TEST(SetCondition, ChangesTheTimeWithTheStatusAlone) {
  const std::string before =
      R"([{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"A",)"
      R"("message":"B","more":1}])";
  EXPECT_EQ(after(before, ConditionStatus::is_true, "C", ""),
            R"([{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"C",)"
            R"("more":1}])");
  EXPECT_EQ(after(before, ConditionStatus::is_false, "A", "B"),
            R"([{"type":"Ready","status":"False","lastTransitionTime":"2026-02-25T06:13:20Z","reason":"A",)"
            R"("message":"B","more":1}])");
  EXPECT_EQ(after(R"([{"type":"Ready","status":"True","lastTransitionTime":"yesterday"}])",
                  ConditionStatus::is_true, "", ""),
            R"([{"type":"Ready","status":"True","lastTransitionTime":"2026-02-25T06:13:20Z"}])");
}

}  // namespace
}  // namespace fairway::k8s
