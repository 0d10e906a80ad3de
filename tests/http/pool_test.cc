// SPDX-License-Identifier: Apache-2.0

// Whose turn it is: levels, flows that take turns, and threads that wait for somebody outside.
#include "http/internal/server/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <string>
#include <vector>

#include "support/eventually.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using fairway::testing::eventually;

/// A pool of one thread, which a first job holds until the test lets it go.
class Turns : public ::testing::Test {
 protected:
  static constexpr std::size_t urgent = 0, usual = 1;

  Turns() {
    EXPECT_EQ(pool.submit({urgent, "first"},
                          [this](Pool::Turn) {
                            held.count_down();
                            let_go.wait();
                          }),
              Pool::Submitted::taken);
    held.wait();
  }
  ~Turns() override {
    if (!let_go.try_wait()) let_go.count_down();
  }

  Pool::Submitted submit(const Flow& flow, const std::string& name) {
    return pool.submit(flow, [this, name](Pool::Turn turn) {
      const std::scoped_lock lock(mutex);
      (turn == Pool::Turn::run ? ran : refused).push_back(name);
    });
  }
  /// Lets the first job go, and waits until all accepted jobs have been called.
  void finish(std::size_t jobs) {
    let_go.count_down();
    ASSERT_TRUE(eventually([&] {
      const std::scoped_lock lock(mutex);
      return ran.size() + refused.size() == jobs;
    }));
  }

  std::latch held{1}, let_go{1};
  std::mutex mutex;
  std::vector<std::string> ran, refused;
  FakeClock clock;
  Pool pool{
      1, {{.name = "urgent", .queue = 4}, {.name = "usual", .queue = 4, .queue_of_flow = 3}}, 10s, clock};
};

TEST_F(Turns, AreTakenByFlowsOneAfterTheOther) {
  for (const char* name : {"a1", "a2", "a3"}) EXPECT_EQ(submit({usual, "a"}, name), Pool::Submitted::taken);
  EXPECT_EQ(submit({usual, "b"}, "b1"), Pool::Submitted::taken);
  EXPECT_EQ(submit({urgent, "c"}, "c1"), Pool::Submitted::taken);
  finish(5);
  EXPECT_EQ(ran, (std::vector<std::string>{"c1", "a1", "b1", "a2", "a3"}));
}

TEST_F(Turns, AreRefusedToAFlowThatHasItsShare) {
  for (const char* name : {"a1", "a2", "a3"}) EXPECT_EQ(submit({usual, "a"}, name), Pool::Submitted::taken);
  EXPECT_EQ(submit({usual, "a"}, "a4"), Pool::Submitted::flow_is_full);
  finish(3);
  EXPECT_EQ(pool.counts()[usual].refused_full, 1U);
}

TEST_F(Turns, OfTheLongestFlowGiveWayWhereTheLevelIsFull) {
  for (const char* name : {"a1", "a2", "a3"}) submit({usual, "a"}, name);
  submit({usual, "b"}, "b1");
  EXPECT_EQ(submit({usual, "c"}, "c1"), Pool::Submitted::taken);
  EXPECT_EQ(refused, std::vector<std::string>{"a3"});
  EXPECT_EQ(submit({usual, "d"}, "d1"), Pool::Submitted::taken);
  // Now no flow is longer than its own.
  EXPECT_EQ(submit({usual, "e"}, "e1"), Pool::Submitted::level_is_full);
  // The other level has room of its own.
  EXPECT_EQ(submit({urgent, "a"}, "u1"), Pool::Submitted::taken);
  finish(7);
  EXPECT_EQ(ran, (std::vector<std::string>{"u1", "a1", "b1", "c1", "d1"}));
}

TEST_F(Turns, ThatComeTooLateAreRefused) {
  submit({usual, "a"}, "early");
  clock.advance(11s);
  submit({usual, "b"}, "late");
  finish(2);
  EXPECT_EQ(refused, std::vector<std::string>{"early"});
  EXPECT_EQ(ran, std::vector<std::string>{"late"});
  EXPECT_EQ(pool.counts()[usual].refused_late, 1U);
}

TEST_F(Turns, ThatNeverComeEndInARefusal) {
  submit({usual, "a"}, "a1");
  clock.wait_for_waiters(1);
  clock.advance(11s);
  EXPECT_TRUE(eventually([&] {
    const std::scoped_lock lock(mutex);
    return refused == std::vector<std::string>{"a1"};
  })) << "the only thread is busy, and stays so";
  EXPECT_EQ(pool.counts()[usual].refused_late, 1U);
  finish(1);
}

TEST(Pool, LeavesAThreadToOtherFlows) {
  constexpr int threads = 4, of_flow = 3, jobs = 10;
  std::latch all_held{of_flow}, other_ran{1}, let_go{1};
  std::atomic<int> running = 0, most = 0, ran = 0;
  Pool pool(threads, {{.name = "usual", .threads_of_flow = of_flow}}, 0s);
  for (int i = 0; i < jobs; ++i) {
    ASSERT_EQ(pool.submit({0, "a"},
                          [&](Pool::Turn) {
                            const int now = ++running;
                            int seen = most;
                            while (now > seen && !most.compare_exchange_weak(seen, now)) {
                            }
                            if (++ran <= of_flow) all_held.count_down();
                            let_go.wait();
                            --running;
                          }),
              Pool::Submitted::taken);
  }
  all_held.wait();
  ASSERT_EQ(pool.submit({0, "b"}, [&](Pool::Turn) { other_ran.count_down(); }), Pool::Submitted::taken);
  other_ran.wait();
  EXPECT_EQ(pool.counts()[0].waiting, static_cast<std::size_t>(jobs - of_flow));
  let_go.count_down();
  EXPECT_TRUE(eventually([&] { return ran == jobs && pool.counts()[0].running == 0; }));
  EXPECT_EQ(most, of_flow);
}

TEST(Pool, CountsNoFlowForThoseThatWaitOutside) {
  std::latch waits{2}, ran{1}, let_go{1};
  Pool pool(4, {{.name = "usual", .threads_of_flow = 2}}, 0s);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(pool.submit({0, "a"},
                          [&](Pool::Turn) {
                            const OutsideWait wait;
                            waits.count_down();
                            let_go.wait();
                          }),
              Pool::Submitted::taken);
  }
  waits.wait();
  ASSERT_EQ(pool.submit({0, "a"}, [&](Pool::Turn) { ran.count_down(); }), Pool::Submitted::taken);
  ran.wait();
  let_go.count_down();
  EXPECT_TRUE(eventually([&] { return pool.counts()[0].running == 0 && pool.counts()[0].served == 3; }));
}

TEST(Pool, LeavesThreadsToWhatIsMoreUrgent) {
  std::latch urgent_ran{1}, usual_held{1}, let_go{1};
  Pool pool(2, {{.name = "urgent"}, {.name = "usual", .threads = 1}}, 0s);
  const auto hold = [&](Pool::Turn) {
    usual_held.count_down();
    let_go.wait();
  };
  ASSERT_EQ(pool.submit({1, "a"}, hold), Pool::Submitted::taken);
  usual_held.wait();
  ASSERT_EQ(pool.submit({1, "b"}, [](Pool::Turn) {}), Pool::Submitted::taken);
  ASSERT_EQ(pool.submit({0, "c"}, [&](Pool::Turn) { urgent_ran.count_down(); }), Pool::Submitted::taken);
  urgent_ran.wait();
  EXPECT_EQ(pool.counts()[1].waiting, 1U);
  let_go.count_down();
}

TEST(Pool, HasAnotherThreadForOneThatWaitsOutside) {
  constexpr int waiting = 20;
  std::latch all_wait{waiting}, let_go{1}, other_ran{1};
  Pool pool(1, {{.name = "all"}}, 0s);
  for (int i = 0; i < waiting; ++i) {
    ASSERT_EQ(pool.submit({0, "a"},
                          [&](Pool::Turn) {
                            const OutsideWait wait;
                            all_wait.count_down();
                            let_go.wait();
                          }),
              Pool::Submitted::taken);
  }
  all_wait.wait();
  EXPECT_EQ(pool.counts()[0].running, 0U);
  ASSERT_EQ(pool.submit({0, "b"}, [&](Pool::Turn) { other_ran.count_down(); }), Pool::Submitted::taken);
  other_ran.wait();
  let_go.count_down();
  // They count again when they go on, and are done.
  EXPECT_TRUE(
      eventually([&] { return pool.counts()[0].running == 0 && pool.counts()[0].served == waiting + 1; }));
}

TEST(Pool, CountsAWaitWithinAWaitOnce) {
  std::latch waits{1}, let_go{1}, first_done{1}, held{2}, all_go{1};
  std::atomic<bool> third_ran = false;
  Pool pool(2, {{.name = "all"}}, 0s);
  ASSERT_EQ(pool.submit({0, "a"},
                        [&](Pool::Turn) {
                          {
                            const OutsideWait outer;
                            const OutsideWait inner;
                            waits.count_down();
                            let_go.wait();
                          }
                          EXPECT_EQ(pool.counts()[0].running, 1U);
                          first_done.count_down();
                        }),
            Pool::Submitted::taken);
  waits.wait();
  EXPECT_EQ(pool.counts()[0].running, 0U);
  let_go.count_down();
  first_done.wait();
  // There are as many turns as before.
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(pool.submit({0, "b"},
                          [&](Pool::Turn) {
                            held.count_down();
                            all_go.wait();
                          }),
              Pool::Submitted::taken);
  }
  held.wait();
  EXPECT_EQ(pool.counts()[0].running, 2U);
  ASSERT_EQ(pool.submit({0, "c"}, [&](Pool::Turn) { third_ran = true; }), Pool::Submitted::taken);
  EXPECT_EQ(pool.counts()[0].waiting, 1U);
  all_go.count_down();
  EXPECT_TRUE(eventually([&] { return third_ran && pool.counts()[0].running == 0; }));
}

TEST(Pool, RunsAsManyAsItHasThreadsAfterwards) {
  std::atomic<int> running = 0, most = 0;
  std::latch done{200};
  Pool pool(2, {{.name = "all", .queue = 1000}}, 0s);
  for (int i = 0; i < 200; ++i) {
    pool.submit({0, std::to_string(i % 7)}, [&, i](Pool::Turn) {
      if (i < 50) {
        const OutsideWait wait;
        std::this_thread::yield();
      } else {
        const int now = ++running;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::yield();
        --running;
      }
      done.count_down();
    });
  }
  done.wait();
  // One more may go on for a moment where its wait has ended.
  EXPECT_LE(most, 2 + 50);
  EXPECT_TRUE(eventually([&] { return pool.counts()[0].running == 0; }));
}

}  // namespace
}  // namespace fairway::http
