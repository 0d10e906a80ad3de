// SPDX-License-Identifier: Apache-2.0

#include "kube/apply/run_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using Outcome = StepResult::Outcome;

/// Steps that record when they run.
class Journal {
 public:
  Step step(std::string name, std::vector<std::string> needs, Result<void> outcome = {}) {
    return {name, std::move(needs), [this, name, outcome = std::move(outcome)](const Limits&) {
              const std::lock_guard lock(mutex_);
              lines_.push_back(name);
              return outcome;
            }};
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  /// Returns whether one ran before another.
  bool is_before(const std::string& a, const std::string& b) const {
    const auto all = lines();
    return std::ranges::find(all, a) < std::ranges::find(all, b);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

std::unexpected<Error> broken(const std::string& why = "broken") {
  return fail(ErrorCode::unavailable, why);
}

StepsReport run(const std::vector<Step>& steps, const RunStepsOptions& options = {},
                const Limits& limits = {}) {
  auto report = run_steps(steps, options, Clock::system(), limits);
  EXPECT_TRUE(report) << report.error().message;
  return report ? *std::move(report) : StepsReport();
}

std::string outcomes(const StepsReport& report) {
  std::string text;
  for (const StepResult& step : report.steps) {
    text += step.name + ": " + std::string(to_string(step.outcome)) +
            (step.blocked_by.empty() ? "" : " for " + step.blocked_by) + "\n";
  }
  return text;
}

TEST(RunStepsTest, RunsStepsAfterWhatTheyNeed) {
  Journal journal;
  const auto report = run({journal.step("d", {"b", "c"}),
                           journal.step("c", {"a"}),
                           journal.step("b", {"a"}),
                           journal.step("a", {}),
                           {"join", {"d"}, {}},
                           journal.step("e", {"join"})});
  ASSERT_TRUE(report.result()) << report.result().error().message;
  EXPECT_EQ(journal.lines().size(), 5U);
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"a", "b"}, {"a", "c"}, {"b", "d"}, {"c", "d"}, {"d", "e"}}) {
    EXPECT_TRUE(journal.is_before(a, b)) << a << " " << b;
  }
  EXPECT_EQ(report.steps[0].name, "d") << "reported in the order given";
}

TEST(RunStepsTest, RunsNothingOfWhatIsNoOrder) {
  Journal journal;
  const auto report = run_steps({journal.step("a", {}), journal.step("b", {"c"}), journal.step("c", {"b"})},
                                {}, Clock::system(), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "steps need each other: b needs c needs b");
  EXPECT_TRUE(journal.lines().empty());
}

TEST(RunStepsTest, RunsAsManyAtOnceAsAllowedAndNoMore) {
  constexpr int parallelism = 3;
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0, most = 0, begun = 0;
  std::vector<Step> steps;
  for (int i = 0; i < 12; ++i) {
    steps.push_back({std::to_string(i), {}, [&](const Limits&) -> Result<void> {
                       std::unique_lock lock(mutex);
                       most = std::max(most, ++running);
                       ++begun;
                       changed.notify_all();
                       // The first ones end when as many run as may.
                       changed.wait(lock, [&] { return begun >= parallelism; });
                       --running;
                       return {};
                     }});
  }
  EXPECT_TRUE(run(steps, {.parallelism = parallelism}).result());
  EXPECT_EQ(most, parallelism);
}

TEST(RunStepsTest, SkipsWhatNeedsAFailureAndGoesOnWithTheRest) {
  Journal journal;
  const auto report =
      run({journal.step("crd", {}, broken()), journal.step("operator", {"crd"}),
           journal.step("route", {"operator"}), journal.step("dns", {}), journal.step("node", {"dns"})});
  EXPECT_EQ(outcomes(report),
            "crd: failed\noperator: skipped for crd\nroute: skipped for crd\ndns: done\nnode: done\n");
  const auto result = report.result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(result.error().message, "1 of 5 steps failed, 2 were skipped: crd: broken");
}

TEST(RunStepsTest, StopsAtTheFirstFailureIfAsked) {
  Journal journal;
  const auto report = run({journal.step("a", {}), journal.step("b", {}, broken()), journal.step("c", {}),
                           journal.step("d", {"b"})},
                          {.parallelism = 1, .on_failure = RunStepsOptions::OnFailure::stop});
  EXPECT_EQ(outcomes(report), "a: done\nb: failed\nc: not started\nd: skipped for b\n");
  EXPECT_EQ(report.result().error().message,
            "1 of 4 steps failed, 1 was skipped, 1 was not started: b: broken");
  EXPECT_FALSE(report.ended);
}

TEST(RunStepsTest, TakesAnExceptionForAFailure) {
  Journal journal;
  const auto report = run({{"a", {}, [](const Limits&) -> Result<void> { throw std::runtime_error("oops"); }},
                           {"b", {}, [](const Limits&) -> Result<void> { throw 7; }},
                           journal.step("c", {})});
  EXPECT_EQ(outcomes(report), "a: failed\nb: failed\nc: done\n");
  EXPECT_EQ(report.steps[0].error->code, ErrorCode::internal);
  EXPECT_EQ(report.steps[0].error->message, "an exception: oops");
}

TEST(RunStepsTest, NamesTenFailuresAtMost) {
  Journal journal;
  std::vector<Step> steps;
  for (int i = 0; i < 12; ++i)
    steps.push_back(journal.step(std::string(1, static_cast<char>('a' + i)), {}, broken()));
  EXPECT_EQ(
      run(steps).result().error().message,
      "12 of 12 steps failed: a: broken; b: broken; c: broken; d: broken; e: broken; f: broken; g: broken; "
      "h: broken; i: broken; j: broken; and 2 more");
}

TEST(RunStepsTest, StartsNothingMoreWhenStopped) {
  std::stop_source stop;
  Journal journal;
  const auto report = run({{"a",
                            {},
                            [&](const Limits& limits) -> Result<void> {
                              stop.request_stop();
                              EXPECT_TRUE(limits.stop.stop_requested());
                              return {};
                            }},
                           journal.step("b", {}),
                           journal.step("c", {"a"})},
                          {.parallelism = 1}, {.stop = stop.get_token()});
  EXPECT_EQ(outcomes(report), "a: done\nb: not started\nc: not started\n");
  EXPECT_EQ(report.result().error().code, ErrorCode::cancelled);
  EXPECT_EQ(report.result().error().message, "0 of 3 steps failed, 2 were not started (stopped)");
}

TEST(RunStepsTest, EndsAtTheDeadlineWhileStepsWaitForEachOther) {
  FakeClock clock;
  const Limits limits = Limits::within(clock, 60s);
  const std::vector<Step> steps{{"a",
                                 {},
                                 [&](const Limits& given) -> Result<void> {
                                   clock.wait_until(given.deadline, given.stop);
                                   return fail(ErrorCode::deadline_exceeded, "too late");
                                 }},
                                {"b", {"a"}, {}},
                                {"c", {}, {}}};
  auto running =
      std::async(std::launch::async, [&] { return run_steps(steps, {.parallelism = 2}, clock, limits); });
  clock.wait_for_waiters(2);  // the step, and the thread that waits for it
  clock.advance(61s);
  const auto report = running.get();
  ASSERT_TRUE(report);
  EXPECT_EQ(outcomes(*report), "a: failed\nb: skipped for a\nc: done\n");
  EXPECT_EQ(report->steps[0].took, 61s);
}

TEST(RunStepsTest, ReportsProgress) {
  std::string seen;
  Journal journal;
  run({journal.step("a", {}), journal.step("b", {"a"}, broken()), journal.step("c", {"b"})},
      {.parallelism = 1, .on_progress = [&](const StepProgress& progress) {
         seen += std::to_string(progress.done) + "/" + std::to_string(progress.total) + " ";
         if (progress.event == StepProgress::Event::started) {
           seen += "started " + progress.step.name;
         } else {
           seen += progress.step.name + " " + std::string(to_string(progress.step.outcome));
         }
         for (const std::string& name : progress.running) seen += ", " + name + " runs";
         seen += "\n";
       }});
  EXPECT_EQ(seen, "0/3 started a, a runs\n1/3 a done\n1/3 started b, b runs\n1/3 b failed\n1/3 c skipped\n");
}

TEST(RunStepsTest, RunsThousandsOfSteps) {
  std::atomic<int> ran = 0;
  std::vector<Step> steps;
  for (int i = 0; i < 3000; ++i) {
    Step step{
        "s" + std::to_string(i), {}, [&](const Limits&) -> Result<void> { return ++ran, Result<void>(); }};
    if (i >= 50) step.needs = {"s" + std::to_string(i - 50), "s" + std::to_string(i / 2)};
    steps.push_back(std::move(step));
  }
  EXPECT_TRUE(run(steps).result());
  EXPECT_EQ(ran, 3000);
}

/// A clock that counts the waits that begin.
class CountingClock final : public Clock {
 public:
  WallTime now() const override { return Clock::system().now(); }
  SteadyTime steady() const override { return Clock::system().steady(); }
  bool wait_until(SteadyTime until, std::stop_token stop) override {
    ++waits;
    return Clock::system().wait_until(until, std::move(stop));
  }
  std::atomic<int> waits = 0;
};

TEST(RunStepsTest, WakesNobodyWhereOneStepFollowsAnother) {
  constexpr int threads = 8, count = 400;
  CountingClock clock;
  std::vector<Step> steps;
  for (int i = 0; i < count; ++i) {
    // The first one begins when the others wait for it.
    Step step{std::to_string(i), {}, [&, i](const Limits&) -> Result<void> {
                while (i == 0 && clock.waits < threads - 1) std::this_thread::yield();
                return {};
              }};
    if (i > 0) step.needs = {std::to_string(i - 1)};
    steps.push_back(std::move(step));
  }
  const auto report = run_steps(steps, {.parallelism = threads}, clock, {});
  ASSERT_TRUE(report && report->result());
  EXPECT_EQ(clock.waits, threads - 1);
}

TEST(RunStepsTest, WakesThoseWhoWaitWhereSeveralStepsFollow) {
  constexpr int width = 4;
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0;
  std::vector<Step> steps;
  for (int level = 0; level < 20; ++level) {
    const std::string join = "join " + std::to_string(level);
    Step joined{join, {}, {}};
    for (int i = 0; i < width; ++i) {
      Step step{
          std::to_string(level) + " " + std::to_string(i), {}, [&, level](const Limits&) -> Result<void> {
            // All of a level run at once.
            std::unique_lock lock(mutex);
            ++running;
            changed.notify_all();
            changed.wait(lock, [&] { return running >= (level + 1) * width; });
            return {};
          }};
      if (level > 0) step.needs = {"join " + std::to_string(level - 1)};
      joined.needs.push_back(step.name);
      steps.push_back(std::move(step));
    }
    steps.push_back(std::move(joined));
  }
  EXPECT_TRUE(run(steps, {.parallelism = width}).result());
}

}  // namespace
}  // namespace fairway::kube
