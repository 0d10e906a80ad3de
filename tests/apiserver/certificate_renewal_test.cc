// SPDX-License-Identifier: Apache-2.0

// The server's certificate, as time goes by.
#include "apiserver/internal/server/certificate_renewal.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "support/eventually.h"

namespace fairway::apiserver {
namespace {

using namespace std::chrono_literals;

constexpr auto day = 24h;

TEST(CertificateRenewal, ComesAMonthBeforeTheEndAndIsTriedAgain) {
  FakeClock clock;
  const WallTime begin = clock.now();
  std::mutex mutex;
  std::vector<std::chrono::hours> calls;
  server::CertificateRenewal renewal(
      {.ends = begin + 365 * day,
       .renew = [&]() -> Result<WallTime> {
         const std::scoped_lock lock(mutex);
         calls.push_back(std::chrono::duration_cast<std::chrono::hours>(clock.now() - begin));
         if (calls.size() == 1) return fail(ErrorCode::unavailable, "no entropy");
         return clock.now() + 365 * day;
       },
       .clock = &clock});
  const auto advance = [&](std::chrono::hours by) {
    clock.wait_for_waiters(1);
    clock.advance(by);
  };
  const auto has_called = [&](std::size_t times) {
    return fairway::testing::eventually([&] {
      const std::scoped_lock lock(mutex);
      return calls.size() >= times;
    });
  };
  advance(334 * day);
  advance(1 * day);
  ASSERT_TRUE(has_called(1));
  // Whether it waits again when the time is moved or not: it looks within the hour.
  advance(1h);
  advance(1h);
  ASSERT_TRUE(has_called(2));
  advance(300 * day);
  advance(40 * day);
  ASSERT_TRUE(has_called(3));
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(calls.front(), 335 * day);
  EXPECT_LE(calls[1], 335 * day + 2h) << "an hour after the failure";
  EXPECT_GE(calls[2], calls[1] + 335 * day) << "the second one lasts as long as the first";
}

}  // namespace
}  // namespace fairway::apiserver
