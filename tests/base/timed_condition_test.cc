// SPDX-License-Identifier: Apache-2.0

#include "base/timed_condition.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace fairway {
namespace {

using namespace std::chrono_literals;

struct TimedConditionTest : ::testing::Test {
  bool wait(const Limits& limits) {
    std::unique_lock lock(mutex);
    return condition.wait(lock, clock, limits, [&] { return done; });
  }
  void finish() {
    const std::lock_guard lock(mutex);
    done = true;
    condition.notify_all();
  }

  FakeClock clock;
  std::mutex mutex;
  TimedCondition condition;
  bool done = false;
};

TEST_F(TimedConditionTest, EndsWhenWhatItWaitsForHasCome) {
  const int ended = 100;
  std::atomic<int> asked = 0;
  const auto count = [&](int by) {
    asked += by;
    asked.notify_all();
  };
  bool came = false;
  std::jthread waiter([&] {
    {
      std::unique_lock lock(mutex);
      came = condition.wait(lock, clock, Limits::within(clock, 10s), [&] {
        count(1);
        return done;
      });
    }
    count(ended);
  });
  clock.wait_for_waiters(1);
  condition.notify_all();  // nothing has changed: it goes on waiting
  asked.wait(1);
  ASSERT_LT(asked, ended);
  clock.wait_for_waiters(1);
  finish();
  waiter.join();
  EXPECT_TRUE(came);
  EXPECT_TRUE(wait({}));  // at once
}

TEST_F(TimedConditionTest, EndsWhenItsClockReachesTheDeadline) {
  bool came = true;
  std::jthread waiter([&] { came = wait(Limits::within(clock, 10s)); });
  clock.wait_for_waiters(1);
  clock.advance(10s);
  waiter.join();
  EXPECT_FALSE(came);
}

TEST_F(TimedConditionTest, EndsWhenItIsAskedToStop) {
  std::stop_source source;
  bool came = true;
  std::jthread waiter([&] { came = wait({.stop = source.get_token()}); });
  clock.wait_for_waiters(1);
  source.request_stop();
  waiter.join();
  EXPECT_FALSE(came);
}

TEST_F(TimedConditionTest, WakesAllWhoWait) {
  std::atomic<int> woken = 0;
  {
    std::vector<std::jthread> waiters;
    for (int i = 0; i < 4; ++i) {
      waiters.emplace_back([&] { woken += wait(Limits::within(clock, 10s)) ? 1 : 0; });
    }
    clock.wait_for_waiters(4);
    finish();
  }
  EXPECT_EQ(woken, 4);
}

/// Runs on the machine's clock: no change between checking and waiting may be missed, whether it is notified
/// with the mutex held or afterwards.
TEST_F(TimedConditionTest, MissesNoChange) {
  int turn = 0;
  const int rounds = 20'000;
  const auto play = [&](int own) {
    for (int i = 0; i < rounds; ++i) {
      std::unique_lock lock(mutex);
      const Limits limits = Limits::within(Clock::system(), 120s);
      ASSERT_TRUE(condition.wait(lock, Clock::system(), limits, [&] { return turn % 2 == own; }));
      ++turn;
      if (i % 2 == 0) lock.unlock();
      condition.notify_all();
    }
  };
  std::jthread other([&] { play(1); });
  play(0);
  other.join();
  EXPECT_EQ(turn, 2 * rounds);
}

}  // namespace
}  // namespace fairway
