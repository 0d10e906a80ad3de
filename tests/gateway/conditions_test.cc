// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/conditions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/file.h"

namespace fairway::gateway {
namespace {

TEST(ConditionTable, IsWhatThePageShows) {
  const std::string path = FAIRWAY_SOURCE_DIR "/docs/gateway-conditions.md";
  if (std::getenv("FAIRWAY_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << conditions_page();
  const auto text = read_file(path);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, conditions_page());
}

TEST(ConditionTable, HasEachLineOnce) {
  std::set<std::tuple<Level, std::string_view, k8s::ConditionStatus, std::string_view>> lines;
  for (const ConditionRow& row : condition_table()) {
    EXPECT_TRUE(lines.emplace(row.level, row.type, row.status, row.reason).second)
        << row.type << " " << row.reason;
    EXPECT_TRUE(k8s::is_condition_reason(row.reason)) << row.reason;
    EXPECT_TRUE(row.when.ends_with('.')) << row.when;
  }
}

TEST(ConditionTable, HasNoFalseErrors) {
  for (const ConditionRow& row : condition_table()) {
    const k8s::ConditionType* type = conditions_of(row.level).find(row.type);
    ASSERT_NE(type, nullptr);
    if (type->presence == k8s::Presence::while_true) {
      EXPECT_EQ(row.status, k8s::ConditionStatus::is_true) << row.type;
    }
  }
}

TEST(Verdicts, AreLinesOfTheTable) {
  Verdicts verdicts(Level::route);
  verdicts.set_false("Accepted", "NoMatchingParent", "why");
  EXPECT_FALSE(verdicts.is_true("Accepted"));
  verdicts.set_true("Accepted", "Accepted", "why");
  EXPECT_TRUE(verdicts.is_true("Accepted"));
  EXPECT_THROW(verdicts.set_true("Programmed", "Programmed", "routes have none"), std::logic_error);
  EXPECT_THROW(verdicts.set_false("Accepted", "PortUnavailable", "of listeners"), std::logic_error);
}

}  // namespace
}  // namespace fairway::gateway
