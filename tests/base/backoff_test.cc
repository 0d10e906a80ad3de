// SPDX-License-Identifier: Apache-2.0

#include "base/backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace fairway {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

std::vector<nanoseconds> pauses(Backoff& backoff, int count) {
  std::vector<nanoseconds> all;
  for (int i = 0; i < count; ++i) all.push_back(backoff.next());
  return all;
}

TEST(Backoff, GrowsUpToItsLongestPause) {
  FakeClock clock;
  Backoff backoff({.first = 800ms, .longest = 5s}, clock);
  EXPECT_EQ(pauses(backoff, 5), (std::vector<nanoseconds>{800ms, 1600ms, 3200ms, 5s, 5s}));
  backoff.reset();
  EXPECT_EQ(backoff.next(), 800ms);
}

TEST(Backoff, AddsJitterOnTopOfTheLongestPause) {
  FakeClock clock;
  Backoff backoff({.first = 1s, .longest = 2s, .jitter = 0.5}, clock, [] { return 0.5; });
  EXPECT_EQ(pauses(backoff, 3), (std::vector<nanoseconds>{1250ms, 2500ms, 2500ms}));
}

TEST(Backoff, BeginsAnewAfterALongTimeWithoutFailure) {
  FakeClock clock;
  Backoff backoff({.first = 1s, .reset_after = 120s}, clock);
  EXPECT_EQ(pauses(backoff, 2), (std::vector<nanoseconds>{1s, 2s}));
  clock.advance(120s);
  EXPECT_EQ(backoff.next(), 4s);
  clock.advance(120s + 1ns);
  EXPECT_EQ(backoff.next(), 1s);
}

/// facts: kubernetes, Work queue: 5 ms, doubled up to 1000 s.
TEST(BackoffSchedule, DoublesExactlyAndNeverOverflows) {
  const BackoffSchedule schedule{.first = 5ms, .longest = 1000s};
  EXPECT_EQ(schedule.pause(1), 5ms);
  EXPECT_EQ(schedule.pause(11), 5120ms);
  EXPECT_EQ(schedule.pause(18), 655'360ms);
  EXPECT_EQ(schedule.pause(19), 1000s);
  EXPECT_EQ(schedule.pause(1'000'000'000), 1000s);
}

TEST(BackoffSchedule, TakesOddNumbers) {
  EXPECT_EQ((BackoffSchedule{.first = 0s}.pause(100'000)), 0s);
  EXPECT_EQ((BackoffSchedule{.first = 10s, .longest = 2s}.pause(1)), 2s);
  EXPECT_EQ((BackoffSchedule{.first = 10ms, .factor = 1}.pause(5)), 10ms);
  EXPECT_EQ((BackoffSchedule{.first = 20ms, .factor = 1.5}.pause(3)), 45ms);
}

}  // namespace
}  // namespace fairway
