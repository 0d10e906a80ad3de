// SPDX-License-Identifier: Apache-2.0

#include "command_line/stop_signals.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>

#include "support/eventually.h"

namespace fairway::command_line {
namespace {

bool is_blocked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

/// Restores this thread's signal mask, for the tests that follow.
class KeptMask {
 public:
  KeptMask() { pthread_sigmask(SIG_BLOCK, nullptr, &mask_); }
  ~KeptMask() { pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }
  KeptMask(const KeptMask&) = delete;
  KeptMask& operator=(const KeptMask&) = delete;

 private:
  sigset_t mask_{};
};

TEST(StopSignals, EndTheProcessAgainAfterTheScope) {
  const KeptMask kept;
  {
    const StopSignals signals;
    EXPECT_TRUE(is_blocked(SIGINT));
    EXPECT_TRUE(is_blocked(SIGTERM));
  }
  EXPECT_FALSE(is_blocked(SIGINT));
  EXPECT_FALSE(is_blocked(SIGTERM));
}

TEST(StopSignals, StayBlockedWhileTheProcessStopsForOne) {
  const KeptMask kept;
  {
    const StopSignals signals;
    ASSERT_EQ(kill(getpid(), SIGTERM), 0);
    EXPECT_TRUE(testing::eventually([&] { return signals.token().stop_requested(); }));
  }
  EXPECT_TRUE(is_blocked(SIGINT));
  EXPECT_TRUE(is_blocked(SIGTERM));
}

}  // namespace
}  // namespace fairway::command_line
