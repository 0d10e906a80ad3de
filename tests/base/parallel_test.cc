// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace fairway {
namespace {

TEST(ParallelFor, DoesEachOnce) {
  std::vector<std::atomic<int>> done(1000);
  parallel_for(done.size(), 4, [&](std::size_t i) { ++done[i]; });
  for (const auto& one : done) EXPECT_EQ(one, 1);
  parallel_for(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, WorksOnSeveralThreadsAtATime) {
  // Nobody passes before all three are there.
  std::latch together(3);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(3, 3, [&](std::size_t) {
    together.arrive_and_wait();
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), 3U);
}

TEST(ParallelFor, WorksOnTheCallersThreadAlone) {
  for (const int threads : {1, 0, -1}) {
    int done = 0;
    parallel_for(5, threads, [&, caller = std::this_thread::get_id()](std::size_t) {
      ++done;
      EXPECT_EQ(std::this_thread::get_id(), caller);
    });
    EXPECT_EQ(done, 5);
  }
}

TEST(ParallelFor, BeginsNothingMoreWhenTheLimitsExpire) {
  FakeClock clock;
  std::stop_source source;
  int done = 0;
  parallel_for(10, 1, {.stop = source.get_token()}, clock, [&](std::size_t) {
    if (++done == 3) source.request_stop();
  });
  EXPECT_EQ(done, 3);

  done = 0;
  parallel_for(10, 1, Limits::within(clock, std::chrono::seconds(4)), clock, [&](std::size_t) {
    ++done;
    clock.advance(std::chrono::seconds(1));
  });
  EXPECT_EQ(done, 4);
}

TEST(ParallelFor, ThrowsWhatTheWorkThrows) {
  // One call throws; the threads of the others, which do not, must begin nothing more. They go on only when
  // the thread that threw has ended: its thread_local variable goes after `parallel_for` has noted the
  // exception.
  std::atomic<int> done = 0;
  std::latch begun(3), over(1);
  struct AtThreadEnd {
    std::latch* over = nullptr;
    ~AtThreadEnd() {
      if (over != nullptr) over->count_down();
    }
  };
  const auto caller = std::this_thread::get_id();
  std::atomic_flag throws;
  const auto work = [&](std::size_t) {
    if (++done > 3) return;
    begun.arrive_and_wait();
    if (std::this_thread::get_id() != caller && !throws.test_and_set()) {
      thread_local AtThreadEnd end;
      end.over = &over;
      throw std::runtime_error("a bug");
    }
    over.wait();
  };
  try {
    parallel_for(100, 3, work);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& thrown) {
    EXPECT_STREQ(thrown.what(), "a bug");
  }
  EXPECT_EQ(done, 3);
}

TEST(ParallelFor, ThrowsOnTheCallersThreadToo) {
  int done = 0;
  EXPECT_THROW(parallel_for(100, 1,
                            [&](std::size_t) {
                              ++done;
                              throw std::runtime_error("a bug");
                            }),
               std::runtime_error);
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace fairway
