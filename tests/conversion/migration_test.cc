// SPDX-License-Identifier: Apache-2.0

#include "conversion/migration/migration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "conversion/stored_objects.h"

namespace fairway::conversion {
namespace {

using testing::StoredObjects;

constexpr const char* widgets = "widgets.example.com";

class MigrationTest : public ::testing::Test {
 protected:
  MigrationTest() {
    server_.define("widgets", "Widget", {"v1alpha1", "v1beta1", "v1"});
    client_ = server_.client();
  }

  /// Objects in two namespaces, every other one of them stored in the new version already.
  void fill(int count) {
    for (int i = 0; i < count; ++i) {
      server_.add({.namespace_name = i % 3 == 0 ? "a" : "b", .name = "w" + std::to_string(1000 + i)},
                  i % 2 == 0 ? "v1alpha1" : "v1", i % 5 == 0 ? "blue" : "red");
    }
  }
  Result<void> migrate(KindProgress& progress, const Checkpoint& checkpoint = {}) {
    return migrate_kind(*client_, request_, pace_, progress, checkpoint);
  }
  KindProgress planned() {
    auto plan = plan_migration(*client_, request_);
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? plan->at(0) : KindProgress{};
  }
  int written_more_than_once() const {
    const auto objects = server_.objects();
    return static_cast<int>(
        std::ranges::count_if(objects, [](const auto& o) { return o.second.writes > 1; }));
  }
  int in_old_version() const {
    const auto objects = server_.objects();
    return static_cast<int>(
        std::ranges::count_if(objects, [](const auto& o) { return o.second.version != "v1"; }));
  }
  bool trimmed() const { return server_.stored_versions(widgets) == std::vector<std::string>{"v1"}; }

  StoredObjects server_;
  std::shared_ptr<kube::Client> client_;
  MigrationRequest request_{
      .group = "example.com", .kind = "Widget", .old_version = "v1alpha1", .new_version = "v1"};
  MigrationPace pace_{.page_size = 20, .settle = {}};
};

TEST_F(MigrationTest, WritesEachObjectOnceAndThenForgetsTheOldVersions) {
  fill(101);
  KindProgress progress = planned();
  std::vector<std::pair<std::int64_t, std::int64_t>> told;
  const auto done = migrate(progress, [&](const KindProgress& now) -> Result<void> {
    told.emplace_back(now.done, now.total.value_or(-1));
    EXPECT_EQ(trimmed(), now.finished);
    return {};
  });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(in_old_version(), 0);
  EXPECT_EQ(written_more_than_once(), 0);
  EXPECT_EQ(server_.writes(), 51);
  EXPECT_TRUE(trimmed());
  EXPECT_TRUE(progress.finished);
  EXPECT_EQ(progress.done, 101);
  EXPECT_EQ(told.front(), (std::pair<std::int64_t, std::int64_t>{20, 101}));
  EXPECT_EQ(told.back(), (std::pair<std::int64_t, std::int64_t>{101, 101}));
}

TEST_F(MigrationTest, HasNothingToDoWhereOnlyTheNewVersionIsStored) {
  fill(3);
  server_.redefine(widgets, [](k8s::Dynamic& definition) {
    definition.set("status.storedVersions", json::Array{json::Value("v1")});
  });
  KindProgress progress = planned();
  EXPECT_TRUE(migrate(progress));
  EXPECT_TRUE(progress.finished);
  EXPECT_EQ(server_.writes(), 0);
}

TEST_F(MigrationTest, KeepsTheOldVersionsWhereNotAllObjectsWereReached) {
  const std::vector<std::function<void(MigrationRequest&)>> narrower{
      [](MigrationRequest& request) { request.namespace_name = "a"; },
      [](MigrationRequest& request) { request.labels = k8s::LabelSelector::parse("color=blue").value(); },
      [](MigrationRequest& request) { request.dry_run = true; }};
  fill(30);
  for (const auto& narrow : narrower) {
    request_ = {.group = "example.com", .kind = "Widget", .old_version = "v1alpha1", .new_version = "v1"};
    narrow(request_);
    KindProgress progress = planned();
    const int before = server_.writes();
    ASSERT_TRUE(migrate(progress));
    EXPECT_TRUE(progress.finished);
    EXPECT_FALSE(trimmed());
    EXPECT_GT(in_old_version(), 0);
    EXPECT_EQ(server_.writes() == before, request_.dry_run);
  }
}

TEST_F(MigrationTest, RefusesToBeginWhereItWouldBeWrong) {
  fill(3);
  struct Row {
    const char *why, *kind, *old_version, *new_version, *namespace_name;
    ErrorCode code;
    const char* says;
  };
  server_.define("gears", "Gear", {"v1beta1", "v1"}, false);
  const std::vector<Row> rows{
      {"not the storage version", "Widget", "v1alpha1", "v1beta1", "", ErrorCode::conflict,
       "v1beta1 is not the storage version of widgets.example.com, which is v1"},
      {"no such kind", "Gadget", "v1alpha1", "v1", "", ErrorCode::not_found,
       "no custom resource of kind Gadget"},
      {"no such old version", "Widget", "v9", "v1", "", ErrorCode::invalid, "has no version v9"},
      {"no such new version", "Widget", "v1alpha1", "v2", "", ErrorCode::invalid, "has no version v2"},
      {"no namespaces", "Gear", "v1beta1", "v1", "a", ErrorCode::invalid, "of the whole cluster"},
      {"nothing knows the version", "", "v7", "v1", "", ErrorCode::not_found, "knows the version v7"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.why);
    const auto plan = plan_migration(*client_, {.group = "example.com",
                                                .kind = row.kind,
                                                .old_version = row.old_version,
                                                .new_version = row.new_version,
                                                .namespace_name = row.namespace_name,
                                                .labels = {}});
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, row.code);
    EXPECT_NE(plan.error().message.find(row.says), std::string::npos) << plan.error().message;
  }
  EXPECT_EQ(server_.writes(), 0);
}

TEST_F(MigrationTest, MeansEveryKindOfTheGroupThatKnowsTheOldVersion) {
  server_.define("gears", "Gear", {"v1alpha1", "v1"});
  server_.define("bolts", "Bolt", {"v1"});
  request_.kind.clear();
  const auto plan = plan_migration(*client_, request_);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->size(), 2U);
  EXPECT_EQ(plan->at(0).definition, "gears.example.com");
  EXPECT_EQ(plan->at(1).definition, widgets);
  // One that is not ready holds all of them: nothing is written.
  server_.define("nuts", "Nut", {"v1", "v1alpha1"});
  EXPECT_EQ(plan_migration(*client_, request_).error().code, ErrorCode::conflict);
}

TEST_F(MigrationTest, AnObjectThatCannotBeWrittenIsLeftOutAndHoldsTheTrimming) {
  fill(50);
  std::atomic<bool> broken = true;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (broken && request.method == "PATCH" && request.path.ends_with("/w1010"))
      return StoredObjects::refusal(k8s::reason::invalid, "spec.size: must be positive");
    return std::nullopt;
  });
  KindProgress progress = planned();
  const auto done = migrate(progress);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::unavailable);
  EXPECT_NE(progress.last_error.find("w1010"), std::string::npos) << progress.last_error;
  EXPECT_NE(progress.last_error.find("must be positive"), std::string::npos) << progress.last_error;
  EXPECT_EQ(progress.left_out.count(), 1);
  EXPECT_EQ(progress.done, 49);
  EXPECT_EQ(in_old_version(), 1);
  EXPECT_FALSE(trimmed());
  // Fixed, it is the only one that is written.
  broken = false;
  std::vector<KindProgress> plan{planned()};
  resume(plan, {progress});
  ASSERT_TRUE(migrate(plan[0]));
  EXPECT_EQ(plan[0].done, 50);
  EXPECT_EQ(written_more_than_once(), 0);
  EXPECT_TRUE(trimmed());
}

TEST_F(MigrationTest, StopsWhereNoObjectOfAPageCanBeWrittenForNoReasonOfItsOwn) {
  fill(50);
  std::atomic<int> asked = 0;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PATCH") return std::nullopt;
    ++asked;
    return StoredObjects::refusal(
        k8s::reason::forbidden,
        "widgets.example.com \"w\" is forbidden: User \"u\" cannot patch resource \"widgets\" in API group "
        "\"example.com\" in the namespace \"a\"");
  });
  KindProgress progress = planned();
  const auto done = migrate(progress);
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.contains("cannot patch resource")) << done.error().message;
  EXPECT_EQ(asked, 20);                    // and not 50
  EXPECT_TRUE(progress.left_out.empty());  // with the right, it continues at this page
  EXPECT_FALSE(trimmed());
}

TEST_F(MigrationTest, TriesAgainWhatMayPassAndTakesWhatIsGoneForDone) {
  fill(9);
  std::atomic<int> refused = 0;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PATCH") return std::nullopt;
    if (request.path.ends_with("/w1001")) return StoredObjects::gone("w1001");
    if (request.path.ends_with("/w1002") && refused++ < 2)
      return StoredObjects::refusal(k8s::reason::conflict, "the object has been modified");
    if (request.path.ends_with("/w1004") && refused++ < 4)
      return StoredObjects::refusal(k8s::reason::internal_error, "conversion webhook failed");
    return std::nullopt;
  });
  pace_.workers = 1;
  KindProgress progress = planned();
  const auto done = migrate(progress);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(refused, 5);  // three refusals, and each was tried once more
  EXPECT_EQ(progress.done, 9);
  EXPECT_TRUE(trimmed());
}

TEST_F(MigrationTest, GoesOnAfterAKillAtEveryPage) {
  fill(107);
  std::vector<KindProgress> kept;
  int kills = 0;
  while (true) {
    std::vector<KindProgress> plan{planned()};
    resume(plan, kept);
    const auto done = migrate(plan[0], [&](const KindProgress& now) -> Result<void> {
      kept = {now};
      // What was written down is all that is left.
      if (now.finished) return {};
      return fail(ErrorCode::cancelled, "killed");
    });
    if (done) break;
    ASSERT_EQ(done.error().code, ErrorCode::cancelled) << done.error().message;
    EXPECT_FALSE(trimmed());
    ASSERT_LT(++kills, 20);
  }
  EXPECT_EQ(kills, 6);
  EXPECT_EQ(kept[0].done, 107);
  EXPECT_EQ(in_old_version(), 0);
  EXPECT_EQ(written_more_than_once(), 0);
  EXPECT_TRUE(trimmed());
}

TEST_F(MigrationTest, GoesOnWhereTheServerHasForgottenTheList) {
  for (const bool with_token : {true, false}) {
    fill(100);
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    KindProgress progress = planned();
    int pages = 0;
    // As if it had been down for long: the token that was kept is too old.
    EXPECT_FALSE(migrate(progress, [&](const KindProgress&) -> Result<void> {
      return ++pages == 2 ? Result<void>(fail(ErrorCode::cancelled, "killed")) : Result<void>{};
    }));
    server_.forget_lists(with_token);
    const auto done = migrate(progress);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(progress.done, 100);
    EXPECT_EQ(in_old_version(), 0);
    EXPECT_EQ(written_more_than_once(), 0);
    EXPECT_TRUE(trimmed());
  }
}

TEST_F(MigrationTest, TriesWhatWasLeftOutOnceMoreWhereItBeginsAnew) {
  fill(60);
  std::atomic<int> refused = 0;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && request.path.ends_with("/w1004") && refused++ == 0)
      return StoredObjects::refusal(k8s::reason::invalid, "spec.size: must be positive");
    return std::nullopt;
  });
  KindProgress progress = planned();
  int pages = 0;
  const auto done = migrate(progress, [&](const KindProgress&) -> Result<void> {
    if (++pages == 2) server_.forget_lists(false);
    return {};
  });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(progress.done, 60);
  EXPECT_TRUE(progress.left_out.empty());
  EXPECT_EQ(progress.last_error, "");
  EXPECT_EQ(in_old_version(), 0);
  EXPECT_EQ(written_more_than_once(), 0);
  EXPECT_TRUE(trimmed());
}

TEST_F(MigrationTest, RefusesARateThatCannotBeKept) {
  fill(3);
  KindProgress progress = planned();
  for (const double rate : {1e-12, -1.0, std::nan(""), HUGE_VAL}) {
    pace_.objects_per_second = rate;
    const auto done = migrate(progress);
    ASSERT_FALSE(done) << rate;
    EXPECT_EQ(done.error().code, ErrorCode::invalid);
    EXPECT_TRUE(done.error().message.contains("at least 0.001")) << done.error().message;
  }
  EXPECT_EQ(server_.writes(), 0);
}

TEST_F(MigrationTest, DoesNotTrimADefinitionThatHasChanged) {
  fill(60);
  KindProgress progress = planned();
  int pages = 0;
  const auto done = migrate(progress, [&](const KindProgress&) -> Result<void> {
    // There and back again: meanwhile objects may have been stored in the old version.
    if (++pages == 1) {
      server_.redefine(widgets, [](k8s::Dynamic& definition) { definition.set("metadata.generation", 2); });
    }
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::conflict);
  EXPECT_FALSE(progress.finished);
  EXPECT_FALSE(trimmed());
  // Nor does what was known before count for the new definition.
  std::vector<KindProgress> plan{planned()};
  resume(plan, {progress});
  EXPECT_EQ(plan[0].done, 0);
  ASSERT_TRUE(migrate(plan[0]));
  EXPECT_TRUE(trimmed());
}

TEST_F(MigrationTest, IsNotDoneWhereTheStorageVersionWentBackDuringAPassOverSome) {
  fill(60);
  request_.namespace_name = "a";
  pace_.page_size = 10;
  KindProgress progress = planned();
  const auto done = migrate(progress, [&](const KindProgress&) -> Result<void> {
    server_.redefine(widgets, [](k8s::Dynamic& definition) {
      for (json::Value& entry : definition.array("spec.versions")) {
        k8s::Editor version(entry.get_object());
        version.set("storage", version.text("name") == "v1alpha1");
      }
    });
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::conflict);
  EXPECT_FALSE(progress.finished);
}

TEST_F(MigrationTest, DoesNotTakeAVersionThatIsNotServedForObjectsThatAreGone) {
  fill(50);
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PATCH") return std::nullopt;
    return http::Response::text(404, "404 page not found\n");  // as an API server says it
  });
  KindProgress progress = planned();
  const auto done = migrate(progress);
  ASSERT_FALSE(done);
  EXPECT_EQ(progress.done, 0);
  EXPECT_FALSE(progress.passed);
  EXPECT_FALSE(trimmed());
}

TEST_F(MigrationTest, TrimsBesideSomebodyWhoWritesTheSameStatus) {
  fill(5);
  std::atomic<int> conflicts = 0;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PUT" && conflicts++ < 2)
      return StoredObjects::refusal(k8s::reason::conflict, "the object has been modified");
    return std::nullopt;
  });
  KindProgress progress = planned();
  const auto done = migrate(progress);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(trimmed());
}

TEST_F(MigrationTest, KeepsToTheRate) {
  fill(4);
  FakeClock clock;
  client_ = server_.client(&clock);
  pace_.objects_per_second = 10;
  pace_.workers = 2;
  KindProgress progress = planned();
  std::jthread worker([&] { EXPECT_TRUE(migrate(progress)); });
  // The first goes at once, and then both workers wait for their turns.
  clock.wait_for_waiters(2);
  EXPECT_EQ(server_.writes(), 1);
  clock.advance(std::chrono::hours(1));
  worker.join();
  EXPECT_TRUE(trimmed());
}

TEST_F(MigrationTest, BeginsWhenNoRequestIsLeftThatStoresInTheOldVersion) {
  fill(9);
  FakeClock clock;
  client_ = server_.client(&clock);
  pace_.settle = std::chrono::seconds(60);
  KindProgress progress = planned();
  // It says that it waits; and what it waits for is kept over a restart.
  const auto killed = migrate(
      progress, [](const KindProgress&) -> Result<void> { return fail(ErrorCode::cancelled, "killed"); });
  ASSERT_FALSE(killed);
  ASSERT_EQ(server_.writes(), 0);
  clock.advance(std::chrono::seconds(20));
  std::vector<KindProgress> plan{planned()};
  resume(plan, {progress});
  ASSERT_EQ(settle_left(plan[0], request_, pace_, clock.now()), std::chrono::seconds(40));
  std::jthread worker([&] {
    const auto done = migrate(plan[0]);
    EXPECT_TRUE(done) << done.error().message;
  });
  clock.wait_for_waiters(1);
  clock.advance(std::chrono::seconds(39));
  // Its headers came before the change of the storage version, its body comes now.
  server_.add({.namespace_name = "a", .name = "late"}, "v1alpha1");
  EXPECT_EQ(server_.writes(), 0);
  clock.advance(std::chrono::seconds(1));
  worker.join();
  EXPECT_EQ(in_old_version(), 0);
  EXPECT_EQ(written_more_than_once(), 0);
  EXPECT_TRUE(trimmed());
}

TEST_F(MigrationTest, WaitsOnlyWhereItTrims) {
  fill(3);
  FakeClock clock;
  client_ = server_.client(&clock);
  pace_.settle = std::chrono::seconds(60);
  const auto left = [&] { return settle_left(planned(), request_, pace_, clock.now()); };
  EXPECT_EQ(left(), std::chrono::seconds(60));
  request_.dry_run = true;
  EXPECT_EQ(left(), std::chrono::seconds(0));
  request_.dry_run = false;
  request_.namespace_name = "a";
  EXPECT_EQ(left(), std::chrono::seconds(0));
  request_.namespace_name.clear();
  // A clock that was set back makes nobody wait for longer.
  KindProgress progress = planned();
  EXPECT_EQ(settle_left(progress, request_, pace_, clock.now() - std::chrono::hours(1)),
            std::chrono::seconds(60));
  // What was left out, and is not known by name, is written without another wait.
  clock.advance(std::chrono::seconds(60));
  progress.left_out.add({.cause = "unknown", .count = 1});
  std::vector<KindProgress> plan{planned()};
  resume(plan, {progress});
  EXPECT_TRUE(plan[0].left_out.empty());
  EXPECT_EQ(settle_left(plan[0], request_, pace_, clock.now()), std::chrono::seconds(0));
  // Another state of the definition has to be seen for as long again.
  server_.redefine(widgets, [](k8s::Dynamic&) {});
  plan = {planned()};
  resume(plan, {progress});
  EXPECT_EQ(settle_left(plan[0], request_, pace_, clock.now()), std::chrono::seconds(60));
  // No object is stored in another version.
  server_.redefine(widgets, [](k8s::Dynamic& definition) {
    definition.set("status.storedVersions", json::Array{json::Value("v1")});
  });
  EXPECT_EQ(left(), std::chrono::seconds(0));
}

TEST_F(MigrationTest, StopsWhenAsked) {
  fill(60);
  std::stop_source stop;
  KindProgress progress = planned();
  const auto done = migrate_kind(
      *client_, request_, pace_, progress,
      [&](const KindProgress&) -> Result<void> {
        stop.request_stop();
        return {};
      },
      stop.get_token());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::cancelled);
  EXPECT_EQ(progress.done, 20);
  EXPECT_FALSE(progress.continue_token.empty());
  EXPECT_FALSE(trimmed());
}

}  // namespace
}  // namespace fairway::conversion
