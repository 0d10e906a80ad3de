// SPDX-License-Identifier: Apache-2.0

#include "payload/internal/history.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace fairway::payload {
namespace {

const WallTime start = parse_time("2026-02-19T12:00:00Z").value();

std::string accepted(const json::Value& entry) {
  return std::string(json::find_string(entry, "acceptedRisks").value_or(""));
}

TEST(HistoryTest, HasTheAcceptedRisksOfTheNewestWholeAndNoMoreThanFits) {
  json::Array history;
  const std::string text(20'000, 'r');
  for (int i = 0; i < 100; ++i) {
    const std::string version = "4.6." + std::to_string(i);
    for (const bool completed : {false, true}) {
      record_history(history,
                     {.version = version,
                      .image = "example.com/release:" + version,
                      .completed = completed,
                      .accepted_risks = text},
                     start + std::chrono::hours(i));
    }
  }
  ASSERT_EQ(history.size(), 100U);
  EXPECT_EQ(accepted(history.front()), text);
  EXPECT_EQ(accepted(history[5]), text);
  EXPECT_TRUE(accepted(history.back()).ends_with("r..."));
  EXPECT_LT(json::to_text(history).size(), 300'000U);
}

TEST(HistoryTest, CutsWhatOneEntrySaysOfItsRisks) {
  json::Array history;
  for (int i = 0; i < 2; ++i) {
    record_history(history,
                   {.version = "4.6.23",
                    .image = "example.com/release:4.6.23",
                    .accepted_risks = std::string(1 << 20, 'r')},
                   start);
    ASSERT_EQ(history.size(), 1U);
    EXPECT_EQ(accepted(history.front()).size(), 32'768U);
  }
}

}  // namespace
}  // namespace fairway::payload
