// SPDX-License-Identifier: Apache-2.0

#include "base/clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/http_date.h"

namespace fairway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Duration, ReadsGoDurations) {
  EXPECT_EQ(parse_duration("5m").value(), seconds(300));
  EXPECT_EQ(parse_duration("1h30m").value(), seconds(5400));
  EXPECT_EQ(parse_duration("1.5s").value(), milliseconds(1500));
  EXPECT_EQ(parse_duration("250ms").value(), milliseconds(250));
  EXPECT_EQ(parse_duration("0").value().count(), 0);
  for (const std::string_view bad :
       {"", "5", "m", "-5m", "5 m", "1e3s", "5x", "999999999999h", "inf", "nans"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Duration, WritesGoDurations) {
  EXPECT_EQ(format_duration(seconds(5400)), "1h30m0s");
  EXPECT_EQ(format_duration(seconds(0)), "0s");
  EXPECT_EQ(format_duration(milliseconds(1500)), "1.5s");
  EXPECT_EQ(format_duration(milliseconds(20)), "20ms");
  EXPECT_EQ(format_duration(seconds(-61)), "-1m1s");
}

TEST(Time, ReadsAndWritesRfc3339) {
  EXPECT_EQ(format_time(parse_time("2026-02-19T23:09:12Z").value()), "2026-02-19T23:09:12Z");
  EXPECT_EQ(format_time(parse_time("2026-02-19T23:09:12.123+01:30").value()), "2026-02-19T21:39:12Z");
  EXPECT_EQ(format_http_date(parse_time("1994-11-06T08:49:37Z").value()), "Sun, 06 Nov 1994 08:49:37 GMT");
  for (const char* time : {"Sun, 06 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 2024 23:59:59 GMT"})
    EXPECT_EQ(format_http_date(parse_http_date(time).value()), time);
  for (const char* wrong :
       {"", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nOv 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT ",
        "Wed, 30 Feb 2024 23:59:59 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, -6 Nov 1994 08:49:37 GMT", "Sat, 06 Nov 1013 08:49:37 GMT", "Mon, 06 Nov 3000 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT"})
    EXPECT_FALSE(parse_http_date(wrong)) << wrong;
  for (const std::string_view bad :
       {"", "2026-02-19", "2026-02-30T00:00:00Z", "2026-02-19T23:09:12", "2026-02-19T24:09:12Z",
        "2026-02-19T23:09:12.Z", "2026-02-19T23:09:12+0130"}) {
    EXPECT_FALSE(parse_time(bad)) << bad;
  }
}

TEST(Time, HoldsFarTimesAsTheNearestThatItCan) {
  // Go's time that is not set.
  EXPECT_EQ(format_time(parse_time("0001-01-01T00:00:00Z").value()), "1677-09-21T00:12:44Z");
  EXPECT_EQ(format_time(parse_time("9999-12-31T23:59:59-23:59").value()), "2262-04-11T23:47:16Z");
}

TEST(FakeClock, WakesWhoWaitsWhenItIsMoved) {
  FakeClock clock;
  const SteadyTime until = clock.steady() + seconds(10);
  bool reached = false;
  std::jthread waiter([&](const std::stop_token& stop) { reached = clock.wait_until(until, stop); });
  clock.wait_for_waiters(1);
  clock.advance(seconds(10));
  waiter.join();
  EXPECT_TRUE(reached);
}

TEST(FakeClock, StopsWaitingWhenAsked) {
  FakeClock clock;
  bool reached = true;
  std::jthread waiter(
      [&](const std::stop_token& stop) { reached = clock.wait_until(clock.steady() + seconds(1), stop); });
  clock.wait_for_waiters(1);
  waiter.request_stop();
  waiter.join();
  EXPECT_FALSE(reached);
}

}  // namespace
}  // namespace fairway
