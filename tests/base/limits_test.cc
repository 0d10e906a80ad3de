// SPDX-License-Identifier: Apache-2.0

#include "base/limits.h"

#include <gtest/gtest.h>

namespace fairway {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(Limits, ExpireAtTheirDeadlineOrWhenAskedToStop) {
  FakeClock clock;
  std::stop_source source;
  const Limits limits = Limits::within(clock, 10s, source.get_token());
  EXPECT_FALSE(limits.expired(clock));
  EXPECT_EQ(limits.remaining(clock), 10s);
  clock.advance(9s);
  EXPECT_FALSE(limits.expired(clock));
  EXPECT_EQ(limits.remaining(clock), 1s);
  clock.advance(1s);
  EXPECT_TRUE(limits.expired(clock));
  clock.advance(5s);
  EXPECT_EQ(limits.remaining(clock), 0s);

  const Limits endless{.stop = source.get_token()};
  EXPECT_FALSE(endless.expired(clock));
  source.request_stop();
  EXPECT_TRUE(endless.expired(clock));
}

TEST(Limits, HaveNoDeadlineUnlessOneIsSet) {
  FakeClock clock;
  EXPECT_FALSE(Limits{}.has_deadline());
  EXPECT_EQ(Limits{}.remaining(clock), nanoseconds::max());
  EXPECT_FALSE(Limits::within(clock, nanoseconds::max()).has_deadline());
  clock.advance(24h * 366 * 50);
  EXPECT_FALSE(Limits{}.expired(clock));
}

TEST(Limits, BecomeOnlyShorter) {
  FakeClock clock;
  const Limits limits = Limits::within(clock, 10s);
  EXPECT_EQ(limits.at_most(clock, 3s).remaining(clock), 3s);
  EXPECT_EQ(limits.at_most(clock, 30s).remaining(clock), 10s);
  EXPECT_EQ(Limits{}.at_most(clock, 3s).remaining(clock), 3s);
}

TEST(Limits, LeaveTheSameTimeOnAnotherClock) {
  FakeClock here, there;
  there.advance(7h);
  std::stop_source source;
  const Limits limits = Limits::within(here, 10s, source.get_token());
  here.advance(4s);
  const Limits moved = limits.moved(here, there);
  EXPECT_EQ(moved.remaining(there), 6s);
  source.request_stop();
  EXPECT_TRUE(moved.stop.stop_requested());
  EXPECT_FALSE(Limits{}.moved(here, there).has_deadline());
  here.advance(1h);
  EXPECT_TRUE(limits.moved(here, there).expired(there));
}

}  // namespace
}  // namespace fairway
