// SPDX-License-Identifier: Apache-2.0

// When probes are sent, and what their answers count for.
#include "gateway/internal/probes/probe_runner.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/eventually.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

class ProbeRunnerTest : public ::testing::Test {
 protected:
  ProbeRunnerTest()
      : runner_(
            [this](const Probe& /*probe*/, const Limits& limits) -> Result<void> {
              ++sent_;
              EXPECT_TRUE(limits.has_deadline());
              if (flows_) return {};
              return fail(ErrorCode::unavailable, "refused " + std::to_string(sent_.load()));
            },
            [this] { ++changes_; }, clock_,
            {.again = std::chrono::seconds(10),
             .failures = 3,
             .backoff = {.first = std::chrono::seconds(1), .longest = std::chrono::seconds(4)}}) {}
  /// Advances the clock by `by` once all due probes are done.
  void pass_time(std::chrono::seconds by) {
    clock_.wait_for_waiters(1);
    clock_.advance(by);
  }
  bool flows() const {
    const auto answer = runner_.answer(probe_);
    return answer && *answer;
  }

  FakeClock clock_;
  std::atomic<bool> flows_ = false;
  std::atomic<int> sent_ = 0, changes_ = 0;
  const Probe probe_{.address = "198.51.100.1", .port = 80};
  ProbeRunner runner_;
};

TEST_F(ProbeRunnerTest, AsksAgainUntilItIsAnswered) {
  runner_.want({probe_});
  ASSERT_TRUE(eventually([&] { return sent_ == 1; }));
  EXPECT_FALSE(runner_.answer(probe_));
  flows_ = true;
  pass_time(std::chrono::seconds(1));
  ASSERT_TRUE(eventually([&] { return flows(); }));
  EXPECT_TRUE(eventually([&] { return changes_ == 1; }));
}

TEST_F(ProbeRunnerTest, KnowsAfterThreeFailuresWhyNot) {
  runner_.want({probe_});
  for (const int pause : {1, 2, 4}) {
    const int before = sent_;
    pass_time(std::chrono::seconds(pause));
    ASSERT_TRUE(eventually([&] { return sent_ > before; }));
  }
  clock_.wait_for_waiters(1);
  const auto answer = runner_.answer(probe_);
  ASSERT_TRUE(answer);
  ASSERT_FALSE(*answer);
  // The first words that were known, so that statuses do not change with each.
  EXPECT_EQ(answer->error().message, "refused 3");
  EXPECT_EQ(changes_, 1);
}

TEST_F(ProbeRunnerTest, NoticesThatTrafficNoLongerFlows) {
  flows_ = true;
  runner_.want({probe_});
  ASSERT_TRUE(eventually([&] { return flows(); }));
  flows_ = false;
  pass_time(std::chrono::seconds(10));
  ASSERT_TRUE(eventually([&] { return changes_ == 2; }));
  EXPECT_FALSE(runner_.answer(probe_));
}

TEST_F(ProbeRunnerTest, ForgetsWhatIsNoLongerWanted) {
  flows_ = true;
  runner_.want({probe_});
  ASSERT_TRUE(eventually([&] { return flows(); }));
  runner_.want({});
  EXPECT_FALSE(runner_.answer(probe_));
  flows_ = false;
  runner_.want({probe_});
  ASSERT_TRUE(eventually([&] { return sent_ == 2; }));
  EXPECT_FALSE(flows());
}

}  // namespace
}  // namespace fairway::gateway
