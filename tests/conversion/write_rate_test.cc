// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/write_rate.h"

#include <gtest/gtest.h>

#include <deque>
#include <future>

namespace fairway::conversion {
namespace {

using namespace std::chrono_literals;

class WriteRateTest : public ::testing::Test {
 protected:
  ~WriteRateTest() override { end_.request_stop(); }
  std::future<bool>& wait(const std::stop_source& stop) {
    return waiting_.emplace_back(
        std::async(std::launch::async, [this, token = stop.get_token()] { return rate_.wait(token); }));
  }
  std::future<bool>& wait() { return wait(end_); }
  /// Starts waiting threads, one after the other.
  void wait_for_turns(const std::stop_source& stop, int count) {
    for (int i = 1; i <= count; ++i) {
      wait(stop);
      clock_.wait_for_waiters(i);
    }
  }
  static bool came(std::future<bool>& waiting) {
    return waiting.wait_for(20s) == std::future_status::ready && waiting.get();
  }

  std::stop_source end_;
  FakeClock clock_;
  WriteRate rate_{clock_, 0.001};
  std::deque<std::future<bool>> waiting_;
};

TEST_F(WriteRateTest, GivesATurnToOneAfterTheOther) {
  ASSERT_TRUE(came(wait())) << "the first at once";
  auto& first = wait();
  clock_.wait_for_waiters(1);
  auto& second = wait();
  clock_.wait_for_waiters(2);
  clock_.advance(1000s);
  ASSERT_TRUE(came(first));
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  clock_.wait_for_waiters(1);
  clock_.advance(1000s);
  EXPECT_TRUE(came(second));
}

TEST_F(WriteRateTest, WhoIsStoppedLeavesTheTurnToTheNext) {
  ASSERT_TRUE(came(wait()));
  std::stop_source stop;
  wait_for_turns(stop, 4);
  auto& next = wait();
  clock_.wait_for_waiters(5);
  stop.request_stop();
  for (std::size_t i = 1; i <= 4; ++i) EXPECT_FALSE(waiting_[i].get());
  clock_.advance(1000s);
  EXPECT_TRUE(came(next));
}

TEST_F(WriteRateTest, WhoComesAfterAStopWaitsNoLonger) {
  ASSERT_TRUE(came(wait()));
  std::stop_source stop;
  wait_for_turns(stop, 4);
  stop.request_stop();
  for (std::size_t i = 1; i <= 4; ++i) EXPECT_FALSE(waiting_[i].get());
  clock_.advance(1000s);
  EXPECT_TRUE(came(wait()));
}

}  // namespace
}  // namespace fairway::conversion
