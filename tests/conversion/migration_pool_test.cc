#include "conversion/migration/internal/migration_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <thread>

#include "support/generous.h"

namespace fairway::conversion {
namespace {

constexpr auto limit = fairway::testing::generous(std::chrono::seconds(3));

/// A pool, and migrations that end when the test says so.
class MigrationPoolTest : public ::testing::Test {
 protected:
  struct Controlled {
    std::promise<void> started, may_end;
    std::promise<void> ended;
  };

  ~MigrationPoolTest() override { stop(); }
  void start(int concurrent) {
    pool_ = std::make_unique<MigrationPool>(
        concurrent, [this](const k8s::Key& key) { controlled_.at(key.name).ended.set_value(); });
    thread_ = std::jthread([this](const std::stop_token& stop) { pool_->run(stop); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
  }
  static k8s::Key key(const std::string& name) { return {.namespace_name = "a", .name = name}; }
  void add(const std::string& name, std::vector<std::string> definitions) {
    Controlled& controlled = controlled_[name];
    pool_->add({.key = key(name),
                .uid = "uid",
                .generation = 1,
                .definitions = std::move(definitions),
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

  std::unique_ptr<MigrationPool> pool_;
  std::map<std::string, Controlled> controlled_;  ///< all are added before the first may end
  std::jthread thread_;
};

TEST_F(MigrationPoolTest, StartsInOrderWhatIsFreeAndLetsNobodyOvertakeForever) {
  start(2);
  add("first", {"w"});
  ASSERT_TRUE(starts("first"));
  EXPECT_EQ(pool_->reason_to_wait({"g", "w"}), "it waits for the Conversion a/first, which migrates w");
  EXPECT_EQ(pool_->reason_to_wait({"g"}), std::nullopt);
  add("second", {"w", "g"});
  // It would be free to start, but needs what the second waits to have.
  EXPECT_EQ(pool_->reason_to_wait({"g"}), "it waits for the Conversion a/second, which migrates g");
  add("third", {"g"});
  add("fourth", {"b"});
  ASSERT_TRUE(starts("fourth"));
  EXPECT_EQ(pool_->reason_to_wait({"x"}), "it waits for its turn: at most 2 migrations run at once");
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
  EXPECT_EQ(pool_->find(key("first"), "uid", 1), MigrationPool::Known::same);
  EXPECT_EQ(pool_->find(key("first"), "uid", 2), MigrationPool::Known::other);
  EXPECT_EQ(pool_->find(key("third"), "uid", 1), MigrationPool::Known::absent);
  EXPECT_FALSE(pool_->cancel(key("second"))) << "it does not run";
  EXPECT_EQ(pool_->find(key("second"), "uid", 1), MigrationPool::Known::absent);
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
  pool_->note_change(key("first"));
  end("first");
  EXPECT_TRUE(pool_->take_result(key("first"))->changed);
  add("second", {"w"});
  ASSERT_TRUE(starts("second"));
  end("second");
  pool_->note_definition_change("g");
  pool_->note_definition_change("w");
  EXPECT_TRUE(pool_->take_result(key("second"))->changed) << "its result is about what was before";
  add("third", {"w"});
  ASSERT_TRUE(starts("third"));
  pool_->note_definition_change("g");
  end("third");
  EXPECT_FALSE(pool_->take_result(key("third"))->changed);
}

TEST_F(MigrationPoolTest, StopsAllWithTheProgram) {
  start(2);
  add("first", {"w"});
  add("second", {"w"});
  ASSERT_TRUE(starts("first"));
  stop();
  ASSERT_TRUE(pool_->take_result(key("first")));
  EXPECT_FALSE(pool_->take_result(key("second"))) << "it has not run";
  EXPECT_EQ(pool_->find(key("second"), "uid", 1), MigrationPool::Known::absent);
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

/// Runs three migrations where the system gives no thread, and exits with 0 if all have ended.
[[noreturn]] void run_without_threads() {
  ::alarm(std::chrono::duration_cast<std::chrono::duration<unsigned>>(limit).count());
  // The limit does not hold for root.
  if (::geteuid() == 0 && ::setresuid(65'534, 65'534, 65'534) != 0) std::_Exit(2);
  const ::rlimit none{.rlim_cur = 1, .rlim_max = 1};
  if (::setrlimit(RLIMIT_NPROC, &none) != 0) std::_Exit(3);
  std::stop_source stop;
  int ended = 0;
  MigrationPool pool(4, [&](const k8s::Key&) {
    if (++ended == 3) stop.request_stop();
  });
  for (const char* name : {"first", "second", "third"}) {
    pool.add({.key = {.namespace_name = "a", .name = name},
              .run = [](const std::stop_token&) -> Result<kube::Requeue> { return kube::done(); }});
  }
  pool.run(stop.get_token());
  std::_Exit(ended == 3 ? 0 : 1);
}

TEST(MigrationPoolDeathTest, WorksOnTheCallersThreadWhereTheSystemGivesNoOther) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_without_threads(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fairway::conversion
