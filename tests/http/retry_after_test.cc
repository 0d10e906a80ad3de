// SPDX-License-Identifier: Apache-2.0

#include "http/retry_after.h"

#include <gtest/gtest.h>

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

struct RetryAfter : ::testing::Test {
  std::optional<std::chrono::nanoseconds> read(const std::string& value) const {
    return retry_after(Headers{{"Retry-After", value}}, clock);
  }
  FakeClock clock{parse_time("1994-11-06T08:49:37Z").value()};
};

TEST_F(RetryAfter, IsSecondsOrADate) {
  EXPECT_EQ(read("120"), 120s);
  EXPECT_EQ(read(" 1 "), 1s);
  EXPECT_EQ(read("0"), 0s);
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:47 GMT"), 10s);
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:27 GMT"), 0s);
  clock.advance(4s);
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:47 GMT"), 6s);
}

TEST_F(RetryAfter, IsNeverLongerThanAnHour) {
  for (const char* text : {"3601", "99999999999999", "99999999999999999999999",
                           "Wed, 31 Dec 2200 23:59:59 GMT", "Sun, 06 Nov 1994 10:00:00 GMT"}) {
    EXPECT_EQ(read(text), 1h) << text;
  }
  EXPECT_EQ(read("Mon, 01 Jan 1900 00:00:00 GMT"), 0s);
}

TEST_F(RetryAfter, IsNothingElse) {
  for (const char* text : {"", "-1", "+1", "soon", "1.5", "1 2", "Sun, 06 Nov 1994 08:49:47 CET"}) {
    EXPECT_EQ(read(text), std::nullopt) << text;
  }
  EXPECT_EQ(retry_after({}, clock), std::nullopt);
}

}  // namespace
}  // namespace fairway::http
