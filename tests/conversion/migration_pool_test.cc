// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/migration_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "support/generous.h"

namespace fairway::conversion {
namespace {

constexpr auto limit = fairway::testing::generous(std::chrono::seconds(3));

/// A pool, and migrations that end when the test says so.
class MigrationPoolTest : public ::testing::Test {
 protected:
  using Presence = MigrationPool::Presence;
  struct Controlled {
    std::promise<void> started, may_end;
    std::promise<void> ended;
  };

  ~MigrationPoolTest() override { stop(); }
  void start(int concurrent) {
    pool_ = std::make_unique<MigrationPool>(
        concurrent, [this](const k8s::Key& key) { controlled_.at(key.name).ended.set_value(); },
        [this](const k8s::Key& key) {
          const std::lock_guard lock(mutex_);
          outdated_.push_back(key.name);
        });
    thread_ = std::jthread([this](const std::stop_token& stop) { pool_->run(stop); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
  }
  static k8s::Key key(const std::string& name) { return {.namespace_name = "a", .name = name}; }
  void add(const std::string& name, std::vector<std::string> definitions,
           std::optional<std::uint64_t> planned_after = {}, std::shared_ptr<Activity> activity = nullptr) {
    Controlled& controlled = controlled_[name];
    auto reason = reason_to_wait(name, definitions);
    pool_->add({.key = key(name),
                .uid = "uid",
                .generation = 1,
                .definitions = std::move(definitions),
                .planned_after = planned_after,
                .reason_to_wait = std::move(reason),
                .activity = std::move(activity),
                .run = [&controlled](const std::stop_token& stop) -> Result<kube::Requeue> {
                  const std::stop_callback on_stop(stop, [&] { controlled.may_end.set_value(); });
                  controlled.started.set_value();
                  controlled.may_end.get_future().wait();
                  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped");
                  return kube::done();
                }});
  }
  static bool comes(std::promise<void>& promise) {
    return promise.get_future().wait_for(limit) == std::future_status::ready;
  }
  bool starts(const std::string& name) { return comes(controlled_.at(name).started); }
  void end(const std::string& name) {
    controlled_.at(name).may_end.set_value();
    EXPECT_TRUE(comes(controlled_.at(name).ended));
  }

  Presence begin_planning(const std::string& name, std::int64_t generation = 1) {
    return pool_->begin_planning(key(name), "uid", generation);
  }
  std::optional<std::string> reason_to_wait(const std::string& name,
                                            const std::vector<std::string>& definitions) {
    return pool_->reason_to_wait(key(name), definitions);
  }
  /// Returns the outdated migrations since the last call.
  std::vector<std::string> outdated() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outdated_, {});
  }

  FakeClock clock_;
  std::unique_ptr<MigrationPool> pool_;
  std::mutex mutex_;
  std::vector<std::string> outdated_;
  std::map<std::string, Controlled> controlled_;  ///< all are added before the first may end
  std::jthread thread_;
};

TEST_F(MigrationPoolTest, StartsInOrderWhatIsFreeAndLetsNobodyOvertakeForever) {
  start(2);
  add("first", {"w"});
  ASSERT_TRUE(starts("first"));
  EXPECT_EQ(reason_to_wait("new", {"g", "w"}), "it waits for the Conversion a/first, which migrates w");
  EXPECT_EQ(reason_to_wait("new", {"g"}), std::nullopt);
  add("second", {"w", "g"});
  // It would be free to start, but needs what the second waits to have.
  EXPECT_EQ(reason_to_wait("new", {"g"}), "it waits for the Conversion a/second, which migrates g");
  add("third", {"g"});
  add("fourth", {"b"});
  ASSERT_TRUE(starts("fourth"));
  EXPECT_EQ(reason_to_wait("new", {"x"}), "it waits for its turn: at most 2 migrations run at once");
  end("fourth");
  end("first");
  ASSERT_TRUE(starts("second"));
  end("second");
  ASSERT_TRUE(starts("third"));
  end("third");
  const auto ended = pool_->take_result(key("third"));
  ASSERT_TRUE(ended && ended->result);
  EXPECT_FALSE(ended->changed);
  EXPECT_FALSE(pool_->take_result(key("third"))) << "a result is taken once";
}

TEST_F(MigrationPoolTest, StopsWhatIsCancelledAndDropsWhatWaits) {
  start(1);
  add("first", {"w"});
  ASSERT_TRUE(starts("first"));
  add("second", {"g"});
  EXPECT_EQ(begin_planning("first"), Presence::running);
  EXPECT_EQ(begin_planning("first", 2), Presence::other);
  EXPECT_EQ(begin_planning("third"), Presence::absent);
  EXPECT_FALSE(pool_->cancel(key("second"))) << "it does not run";
  EXPECT_EQ(begin_planning("second"), Presence::absent);
  EXPECT_TRUE(pool_->cancel(key("first")));
  EXPECT_TRUE(comes(controlled_.at("first").ended));
  const auto ended = pool_->take_result(key("first"));
  ASSERT_TRUE(ended);
  ASSERT_FALSE(ended->result);
  EXPECT_EQ(ended->result.error().code, ErrorCode::cancelled);
}

TEST_F(MigrationPoolTest, KeepsThatSomethingHasChanged) {
  start(1);
  add("first", {"w"});
  ASSERT_TRUE(starts("first"));
  EXPECT_EQ(begin_planning("first"), Presence::running);
  end("first");
  EXPECT_TRUE(pool_->take_result(key("first"))->changed);
  add("second", {"w"});
  ASSERT_TRUE(starts("second"));
  end("second");
  pool_->record_definition_change("g");
  pool_->record_definition_change("w");
  EXPECT_TRUE(pool_->take_result(key("second"))->changed) << "its result is about what was before";
  add("third", {"w"});
  ASSERT_TRUE(starts("third"));
  pool_->record_definition_change("g");
  end("third");
  EXPECT_FALSE(pool_->take_result(key("third"))->changed);
}

TEST_F(MigrationPoolTest, AChangeDuringTheFirstPlanningIsNotMissed) {
  start(1);
  const std::uint64_t before = pool_->definition_changes();
  pool_->record_definition_change("w");
  add("first", {"w"}, before);
  EXPECT_EQ(outdated(), std::vector<std::string>{"first"});
  add("second", {"g"}, before);
  ASSERT_TRUE(starts("second")) << "its definition is another one";
  end("second");
  EXPECT_EQ(begin_planning("first"), Presence::waiting);
  add("first", {"w"}, pool_->definition_changes());
  ASSERT_TRUE(starts("first"));
  end("first");
  EXPECT_FALSE(pool_->take_result(key("first"))->changed);
}

TEST_F(MigrationPoolTest, StartsWhatIsOutdatedOnlyWhenItIsPlannedAgainAndInItsPlace) {
  start(1);
  add("first", {"w"});
  ASSERT_TRUE(starts("first"));
  add("second", {"g"});
  add("third", {"b"});
  add("fourth", {"x"});
  pool_->record_definition_change("g");
  pool_->record_definition_change("w");
  EXPECT_EQ(outdated(), std::vector<std::string>{"second"}) << "what runs notices it itself";
  // The second is not ready; it holds up nothing but what needs its definitions.
  end("first");
  ASSERT_TRUE(starts("third"));
  EXPECT_EQ(begin_planning("second"), Presence::waiting);
  EXPECT_EQ(begin_planning("second", 2), Presence::other);
  // It changes once more meanwhile: it is not ready by what was planned before.
  pool_->record_definition_change("g");
  add("second", {"g"});
  EXPECT_EQ(outdated(), std::vector<std::string>{"second"});
  EXPECT_EQ(begin_planning("second"), Presence::waiting);
  EXPECT_EQ(reason_to_wait("second", {"g", "x"}), "it waits for its turn: at most 1 migrations run at once")
      << "what is behind it does not count";
  add("second", {"g", "x"});
  // The fourth waits for something else now.
  EXPECT_EQ(outdated(), std::vector<std::string>{"fourth"});
  EXPECT_EQ(begin_planning("fourth"), Presence::waiting);
  EXPECT_EQ(reason_to_wait("fourth", {"x"}), "it waits for the Conversion a/second, which migrates x");
  add("fourth", {"x"});
  end("third");
  ASSERT_TRUE(starts("second")) << "it has kept its place";
  end("second");
  ASSERT_TRUE(starts("fourth"));
  end("fourth");
  EXPECT_FALSE(pool_->take_result(key("second"))->changed);
}

TEST_F(MigrationPoolTest, HasWhatWaitsForSomethingElsePlannedAgain) {
  start(1);
  add("first", {"w"});
  ASSERT_TRUE(starts("first"));
  add("second", {"w"});
  add("third", {"w", "g"});
  add("fourth", {"b"});
  add("fifth", {"w"});
  EXPECT_EQ(outdated(), std::vector<std::string>{});
  end("first");
  ASSERT_TRUE(starts("second"));
  // Those that waited for the first; the fourth still waits for its turn.
  EXPECT_EQ(outdated(), (std::vector<std::string>{"third", "fifth"}));
  for (const char* name : {"third", "fifth"}) {
    EXPECT_EQ(begin_planning(name), Presence::waiting);
    EXPECT_EQ(reason_to_wait(name, {"w"}), "it waits for the Conversion a/second, which migrates w");
  }
  add("third", {"g"});
  add("fifth", {"w"});
  EXPECT_EQ(outdated(), std::vector<std::string>{});
  EXPECT_FALSE(pool_->cancel(key("fourth")));
  // It would have started at once, and does not.
  pool_->add({.key = key("sixth"), .uid = "uid", .generation = 1, .definitions = {"x"}});
  EXPECT_EQ(outdated(), std::vector<std::string>{"sixth"});
  end("second");
  ASSERT_TRUE(starts("third"));
  EXPECT_EQ(outdated(), std::vector<std::string>{"fifth"}) << "it waits for its turn now";
}

TEST_F(MigrationPoolTest, StopsAllWithTheProgram) {
  start(2);
  add("first", {"w"});
  add("second", {"w"});
  ASSERT_TRUE(starts("first"));
  stop();
  ASSERT_TRUE(pool_->take_result(key("first")));
  EXPECT_FALSE(pool_->take_result(key("second"))) << "it has not run";
  EXPECT_EQ(begin_planning("second"), Presence::absent);
}

TEST_F(MigrationPoolTest, TakesAnExceptionForAnError) {
  start(1);
  controlled_["first"];
  pool_->add({.key = key("first"), .run = [](const std::stop_token&) -> Result<kube::Requeue> {
                throw std::runtime_error("a bug");
              }});
  EXPECT_TRUE(comes(controlled_.at("first").ended));
  const auto ended = pool_->take_result(key("first"));
  ASSERT_TRUE(ended && !ended->result);
  EXPECT_EQ(ended->result.error().message, "the migration threw: a bug");
}

TEST_F(MigrationPoolTest, StopsWhatGetsNoAnswersAndNotWhatWaitsForItsTurnToWrite) {
  pool_ = std::make_unique<MigrationPool>(
      2, [this](const k8s::Key& key) { controlled_.at(key.name).ended.set_value(); }, [](const k8s::Key&) {},
      nullptr, clock_, std::chrono::minutes(5));
  thread_ = std::jthread([this](const std::stop_token& stop) { pool_->run(stop); });
  const auto unanswered = std::make_shared<Activity>(clock_), slow = std::make_shared<Activity>(clock_);
  add("unanswered", {"u"}, {}, unanswered);
  add("slow", {"s"}, {}, slow);
  ASSERT_TRUE(starts("unanswered"));
  ASSERT_TRUE(starts("slow"));
  std::optional<Activity::Wait> turn(*slow);
  clock_.wait_for_waiters(1);
  clock_.advance(std::chrono::minutes(3));
  unanswered->record();
  clock_.advance(std::chrono::minutes(4));
  turn.reset();
  clock_.wait_for_waiters(1);
  clock_.advance(std::chrono::minutes(1));
  ASSERT_TRUE(comes(controlled_.at("unanswered").ended));
  const auto ended = pool_->take_result(key("unanswered"));
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->stalled);
  EXPECT_EQ(begin_planning("slow"), Presence::running);
  end("slow");
  EXPECT_FALSE(pool_->take_result(key("slow"))->stalled);
}

/// Runs three migrations while the system refuses to start threads, and exits with 0 if all have ended.
[[noreturn]] void run_without_threads() {
  ::alarm(std::chrono::duration_cast<std::chrono::duration<unsigned>>(limit).count());
  // The limit does not hold for root.
  if (::geteuid() == 0 && ::setresuid(65'534, 65'534, 65'534) != 0) std::_Exit(2);
  const ::rlimit none{.rlim_cur = 1, .rlim_max = 1};
  if (::setrlimit(RLIMIT_NPROC, &none) != 0) std::_Exit(3);
  std::stop_source stop;
  int ended = 0;
  std::function<void(const k8s::Key&)> add;
  MigrationPool pool(
      4,
      [&](const k8s::Key&) {
        if (++ended == 3) stop.request_stop();
      },
      [&](const k8s::Key& key) {  // fewer run at once than was said
        pool.begin_planning(key, "", 0);
        add(key);
      });
  add = [&](const k8s::Key& key) {
    pool.add({.key = key,
              .reason_to_wait = pool.reason_to_wait(key, {}),
              .run = [](const std::stop_token&) -> Result<kube::Requeue> { return kube::done(); }});
  };
  for (const char* name : {"first", "second", "third"}) add({.namespace_name = "a", .name = name});
  pool.run(stop.get_token());
  std::_Exit(ended == 3 ? 0 : 1);
}

TEST(MigrationPoolDeathTest, WorksOnTheCallersThreadWhereTheSystemGivesNoOther) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_without_threads(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fairway::conversion
