// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/controller/queue.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <map>
#include <random>
#include <vector>

namespace fairway::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

k8s::Key key(const std::string& name) {
  return {"a", name};
}

/// Waits for an object on another thread; the future has the object.
std::future<std::optional<k8s::Key>> get_beside(Queue& queue) {
  return std::async(std::launch::async, [&queue] { return queue.get(); });
}

TEST(Queue, GivesObjectsOutInOrderAndOnce) {
  FakeClock clock;
  Queue queue("test", clock);
  queue.add(key("x"));
  queue.add(key("y"));
  queue.add(key("x"));
  EXPECT_EQ(queue.size(), 2);
  EXPECT_EQ(queue.get(), key("x"));
  EXPECT_EQ(queue.get(), key("y"));
  EXPECT_EQ(queue.size(), 0);
}

TEST(Queue, GivesOutWhatChangedBeforeWhatIsLookedAtAnyway) {
  FakeClock clock;
  Queue queue("test", clock);
  for (const char* name : {"a", "b", "c"}) queue.add(key(name), Queue::Lane::background);
  queue.add(key("x"));
  queue.add(key("b"));  // it changed, too
  queue.add(key("x"), Queue::Lane::background);
  EXPECT_EQ(queue.size(), 4);
  std::string order;
  for (int i = 0; i < 4; ++i) order += queue.get()->name;
  EXPECT_EQ(order, "xbac");
  EXPECT_EQ(queue.size(), 0);
  for (const char* name : {"x", "b", "a", "c"}) queue.done(key(name));
  // What stood twice comes up once.
  queue.add(key("b"), Queue::Lane::background);
  EXPECT_EQ(queue.size(), 1);
  EXPECT_EQ(queue.get(), key("b"));
  queue.add(key("b"), Queue::Lane::background);
  queue.done(key("b"));
  EXPECT_EQ(queue.get(), key("b"));
}

TEST(Queue, LetsNoFloodOfChangesKeepTheOthersWaiting) {
  FakeClock clock;
  Queue queue("test", clock);
  queue.add(key("patient"), Queue::Lane::background);
  int before = 0;
  for (;; ++before) {
    queue.add(key("busy"));
    const auto got = queue.get();
    queue.done(*got);
    if (got == key("patient")) break;
    ASSERT_LT(before, 100);
  }
  EXPECT_EQ(before, 16);
}

TEST(Queue, JoinsWhatIsAddedWithinTheDebounce) {
  FakeClock clock;
  Queue queue("test", clock);
  queue.add_debounced(key("x"), milliseconds(50));
  clock.wait_for_waiters(1);
  clock.advance(milliseconds(30));
  queue.add_debounced(key("x"), milliseconds(50));
  EXPECT_EQ(queue.size(), 0);
  auto got = get_beside(queue);
  clock.wait_for_waiters(1);
  clock.advance(milliseconds(20));
  EXPECT_EQ(got.get(), key("x")) << "50 ms after the first, however many follow";
  EXPECT_EQ(queue.delayed(), 0);
}

TEST(Queue, RunsWhatIsAddedMeanwhileOnceMoreAfterwards) {
  FakeClock clock;
  Queue queue("test", clock);
  queue.add(key("x"));
  ASSERT_EQ(queue.get(), key("x"));
  queue.add(key("x"));
  queue.add(key("x"));
  EXPECT_EQ(queue.size(), 0) << "nobody may get it while somebody is at it";
  queue.done(key("x"));
  EXPECT_EQ(queue.size(), 1);
  ASSERT_EQ(queue.get(), key("x"));
  queue.done(key("x"));
  EXPECT_EQ(queue.size(), 0);
}

TEST(Queue, AddsWhenADelayHasPassed) {
  FakeClock clock;
  Queue queue("test", clock);
  queue.add_after(key("late"), seconds(10));
  clock.wait_for_waiters(1);
  queue.add_after(key("early"), seconds(5));
  auto first = get_beside(queue);
  clock.wait_for_waiters(1);
  clock.advance(milliseconds(4999));
  EXPECT_EQ(queue.size(), 0);
  EXPECT_EQ(queue.delayed(), 2);
  // The thread that waits for delays may be between two waits: time goes on until it has seen it.
  clock.advance(milliseconds(1));
  EXPECT_EQ(first.get(), key("early"));
  auto second = get_beside(queue);
  clock.wait_for_waiters(1);
  clock.advance(seconds(5));
  EXPECT_EQ(second.get(), key("late"));
  EXPECT_EQ(queue.delayed(), 0);
}

TEST(Queue, TakesTheShorterOfTwoDelays) {
  FakeClock clock;
  Queue queue("test", clock);
  queue.add_after(key("x"), seconds(10));
  queue.add_after(key("x"), seconds(3));
  queue.add_after(key("x"), seconds(20));
  EXPECT_EQ(queue.delayed(), 1);
  auto got = get_beside(queue);
  clock.wait_for_waiters(1);
  clock.advance(seconds(3));
  EXPECT_EQ(got.get(), key("x"));
  EXPECT_EQ(queue.delayed(), 0);
}

TEST(Queue, AddsAtOnceWithoutADelay) {
  FakeClock clock;
  Queue queue("test", clock);
  queue.add_after(key("x"), seconds(0));
  EXPECT_EQ(queue.get(), key("x"));
}

TEST(RetryDelays, GrowFromFiveMillisecondsToAThousandSeconds) {
  const SteadyTime now{};
  RetryLimits limits;
  limits.burst = 1e9;  // the other limit has a case of its own
  RetryDelays delays(limits, now);
  milliseconds expected{5};
  for (int failure = 0; failure < 40; ++failure) {
    EXPECT_EQ(delays.next(key("x"), now), std::min(expected, milliseconds(1'000'000))) << failure;
    if (expected < milliseconds(1'000'000)) expected *= 2;
  }
  EXPECT_EQ(delays.failures(key("x")), 40);
  EXPECT_EQ(delays.next(key("y"), now), milliseconds(5)) << "each object has its own";
  delays.forget(key("x"));
  EXPECT_EQ(delays.failures(key("x")), 0);
  EXPECT_EQ(delays.next(key("x"), now), milliseconds(5));
}

TEST(RetryDelays, LetAHundredThroughAtOnceAndTenASecond) {
  SteadyTime now{};
  RetryDelays delays({}, now);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(delays.next(key(std::to_string(i)), now), milliseconds(5)) << i;
  EXPECT_EQ(delays.next(key("100"), now), milliseconds(100));
  EXPECT_EQ(delays.next(key("101"), now), milliseconds(200));
  now += seconds(1);
  EXPECT_EQ(delays.next(key("102"), now), milliseconds(5)) << "eight tokens are left of that second";
  now += seconds(3600);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(delays.next(key("later" + std::to_string(i)), now), milliseconds(5));
  EXPECT_EQ(delays.next(key("last"), now), milliseconds(100)) << "no more than the burst is saved";
}

TEST(Queue, RetriesLaterAfterEveryFailure) {
  FakeClock clock;
  Queue queue("test", clock);
  for (const milliseconds delay : {milliseconds(5), milliseconds(10), milliseconds(20)}) {
    queue.add_rate_limited(key("x"));
    auto got = get_beside(queue);
    clock.wait_for_waiters(1);
    clock.advance(delay - milliseconds(1));
    EXPECT_EQ(queue.size(), 0);
    clock.wait_for_waiters(1);
    clock.advance(milliseconds(1));
    ASSERT_EQ(got.get(), key("x"));
    queue.done(key("x"));
  }
  EXPECT_EQ(queue.failures(key("x")), 3);
  queue.forget(key("x"));
  EXPECT_EQ(queue.failures(key("x")), 0);
}

TEST(Queue, WakesThoseWhoWaitWhenItIsShutDown) {
  FakeClock clock;
  Queue queue("test", clock);
  auto one = get_beside(queue);
  auto other = get_beside(queue);
  queue.shut_down();
  EXPECT_EQ(one.get(), std::nullopt);
  EXPECT_EQ(other.get(), std::nullopt);
  queue.add(key("x"));
  queue.add_after(key("y"), seconds(1));
  queue.add_rate_limited(key("z"));
  EXPECT_EQ(queue.size(), 0);
  EXPECT_EQ(queue.delayed(), 0);
  EXPECT_EQ(queue.get(), std::nullopt);
}

TEST(Queue, DropsWhatWaitsWhenItIsShutDown) {
  FakeClock clock;
  Queue queue("test", clock);
  queue.add(key("x"));
  queue.add(key("y"));
  ASSERT_EQ(queue.get(), key("x"));
  queue.shut_down();
  EXPECT_EQ(queue.get(), std::nullopt);
  queue.done(key("x"));
}

/// Returns the value in the first line of a metrics text that begins with `series`.
std::string value_of(const metrics::Registry& registry, const std::string& series) {
  const std::string text = registry.text();
  const std::size_t at = text.find("\n" + series + " ");
  if (at == std::string::npos) return "absent";
  const std::size_t begin = at + series.size() + 2;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Queue, HasTheMetricsThatDashboardsKnow) {
  FakeClock clock;
  metrics::Registry registry;
  Queue queue("widgets", clock, &registry);
  const auto value = [&](const std::string& name) {
    return value_of(registry, name + R"({controller="widgets",name="widgets"})");
  };
  queue.add(key("x"));
  queue.add(key("x"));
  queue.add(key("y"));
  EXPECT_EQ(value("workqueue_depth"), "2");
  EXPECT_EQ(value("workqueue_adds_total"), "2");
  clock.advance(seconds(2));
  ASSERT_EQ(queue.get(), key("x"));
  clock.advance(seconds(3));
  ASSERT_EQ(queue.get(), key("y"));
  clock.advance(seconds(4));
  queue.update_metrics();
  EXPECT_EQ(value("workqueue_depth"), "0");
  EXPECT_EQ(value("workqueue_unfinished_work_seconds"), "11");
  EXPECT_EQ(value("workqueue_longest_running_processor_seconds"), "7");
  EXPECT_EQ(value("workqueue_queue_duration_seconds_sum"), "7");
  queue.done(key("x"));
  queue.done(key("y"));
  queue.update_metrics();
  EXPECT_EQ(value("workqueue_work_duration_seconds_count"), "2");
  EXPECT_EQ(value("workqueue_work_duration_seconds_sum"), "11");
  EXPECT_EQ(value("workqueue_unfinished_work_seconds"), "0");
  queue.add_rate_limited(key("x"));
  EXPECT_EQ(value("workqueue_retries_total"), "1");
}

TEST(Queue, NeverGivesOneObjectToTwo) {
  Queue queue("test", Clock::system());
  constexpr int keys = 20, rounds = 2000, workers = 4;
  std::array<std::atomic<int>, keys> at_work{}, wanted{}, seen{};
  std::atomic<bool> two_at_once = false;
  std::vector<std::jthread> threads;
  for (int worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&] {
      while (const auto got = queue.get()) {
        const auto number = static_cast<std::size_t>(std::stoi(got->name));
        if (at_work[number].fetch_add(1) != 0) two_at_once = true;
        seen[number] = wanted[number].load();
        at_work[number].fetch_sub(1);
        queue.done(*got);
      }
    });
  }
  {
    std::vector<std::jthread> adders;
    for (unsigned adder = 0; adder < 2; ++adder) {
      adders.emplace_back([&, adder] {
        std::minstd_rand random(adder + 1);
        for (int round = 0; round < rounds; ++round) {
          const auto number = static_cast<std::size_t>(random() % keys);
          wanted[number].fetch_add(1);
          if (random() % 4 == 0) {
            queue.add_after(key(std::to_string(number)), milliseconds(random() % 3));
          } else {
            queue.add(key(std::to_string(number)));
          }
        }
      });
    }
  }
  // What was added last was looked at after it was added.
  const auto all_seen = [&] {
    for (std::size_t i = 0; i < keys; ++i) {
      if (seen[i] != wanted[i]) return false;
    }
    return true;
  };
  const auto deadline = Clock::system().steady() + seconds(30);
  while (!all_seen() && Clock::system().steady() < deadline) {
    Clock::system().wait_until(Clock::system().steady() + milliseconds(1), {});
  }
  EXPECT_TRUE(all_seen());
  EXPECT_FALSE(two_at_once);
  queue.shut_down();
}

}  // namespace
}  // namespace fairway::kube
