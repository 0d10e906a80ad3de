// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/frame_budget.h"

#include <gtest/gtest.h>

namespace fairway::http {
namespace {

TEST(FrameBudget, AllowsTheWindowUpdatesOfDataThatWasOnItsWay) {
  const SteadyTime now{};
  FrameBudget budget(now);
  // 4 MB fill a window of Go's client before it answers, with two updates for each 4 KiB.
  constexpr std::size_t sent = 4 << 20, frame = 16 << 10;
  for (std::size_t at = 0; at < sent; at += frame) budget.give_for_data(frame);
  for (std::size_t at = 0; at < sent; at += 2048) ASSERT_TRUE(budget.take_for_update(now)) << at;
}

TEST(FrameBudget, EndsAFloodOfWindowUpdates) {
  const SteadyTime now{};
  FrameBudget budget(now);
  budget.give_for_data(2048);
  int taken = 0;
  while (budget.take_for_update(now)) ++taken;
  EXPECT_EQ(taken, 1000 + 3);
}

TEST(FrameBudget, EarnsNoOtherFramesByData) {
  const SteadyTime now{};
  FrameBudget budget(now);
  for (int i = 0; i < 1'000'000; ++i) budget.give_for_data(16 << 10);
  int taken = 0;
  while (budget.take(1, now)) ++taken;
  EXPECT_EQ(taken, 1000);
}

}  // namespace
}  // namespace fairway::http
