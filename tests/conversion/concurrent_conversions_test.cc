// SPDX-License-Identifier: Apache-2.0

// Several Conversions at once, in a manager as the program has it.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "conversion/migration/conversion_controller.h"
#include "conversion/stored_objects.h"
#include "k8s/condition.h"
#include "support/eventually.h"

namespace fairway::conversion {
namespace {

using testing::StoredObjects;

constexpr auto limit = fairway::testing::generous(std::chrono::seconds(3));

/// "True/Completed: message".
std::string completed(const k8s::Dynamic& object) {
  const auto found = k8s::find_condition(object, "Completed");
  if (!found || found->observed_generation() != object.generation()) return "none";
  return std::string(k8s::to_string(found->status())) + "/" + std::string(found->reason()) + ": " +
         std::string(found->message());
}

bool is_completed(const k8s::Dynamic& object) {
  return completed(object).starts_with("True/");
}

/// A manager with the controller, from construction to destruction.
class RunningController {
 public:
  RunningController(const StoredObjects& server, const ConversionControllerOptions& options, Clock& clock) {
    manager_ = std::make_unique<kube::Manager>(server.client(&clock));
    add_conversion_controller(*manager_, options);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      const auto ended = manager_->run(stop);
      EXPECT_TRUE(ended) << ended.error().message;
    });
  }
  std::string metrics() const { return manager_->metrics_text(); }

 private:
  std::unique_ptr<kube::Manager> manager_;
  std::jthread thread_;
};

class ConcurrentConversionsTest : public ::testing::Test {
 protected:
  ConcurrentConversionsTest() {
    for (const auto& [plural, kind] : {std::pair{"widgets", "Widget"}, {"gears", "Gear"}, {"bolts", "Bolt"}})
      server_.define(plural, kind, {"v1alpha1", "v1"});
    for (int i = 0; i < 20; ++i)
      server_.add({.namespace_name = "a", .name = "w" + std::to_string(100 + i)}, "v1alpha1");
  }
  static json::Object spec(const char* kind) {
    return {{"group", "example.com"}, {"oldVersion", "v1alpha1"}, {"newVersion", "v1"}, {"kind", kind}};
  }
  bool is_trimmed(const std::string& plural) const {
    return server_.stored_versions(plural + ".example.com") == std::vector<std::string>{"v1"};
  }
  /// Waits until the Conversion's condition is this, or begins so.
  bool comes_to(const char* name, const std::string& says) const {
    return server_.wait_for(name,
                            [&says](const k8s::Dynamic& now) { return completed(now).starts_with(says); });
  }
  std::string completed_of(const char* name) const { return completed(server_.conversion(name)); }
  bool wait_until_completed(const char* name) const { return server_.wait_for(name, is_completed); }

  void start(Clock& clock = Clock::system()) { controller_.emplace(server_, options_, clock); }
  /// Makes the fake clock run like a real one from now on, so that short waits, as after a conflict, end.
  void let_time_pass() {
    ticks_ = std::jthread([this](const std::stop_token& stop) {
      constexpr std::chrono::milliseconds tick{1};
      while (!stop.stop_requested()) {
        std::this_thread::sleep_for(tick);
        clock_.advance(tick);
      }
    });
  }
  /// Starts the controller, and a migration of Widget that hangs until `release_`; returns whether it gets
  /// there in time.
  bool first_hangs(Clock& clock = Clock::system()) {
    hang_widgets();
    start(clock);
    server_.ask_for("first", spec("Widget"));
    return hangs_.get_future().wait_for(limit) == std::future_status::ready;
  }

  FakeClock clock_;
  std::promise<void> hangs_;
  std::stop_source release_;
  std::atomic<int> hanging_ = 0, cancelled_ = 0;
  std::atomic<bool> said_changed_ = false;
  StoredObjects server_;  ///< its interceptor uses the others
  ConversionControllerOptions options_{.pace = {.workers = 1, .page_size = 5, .settle = {}}};
  std::optional<RunningController> controller_;
  std::jthread ticks_;

  /// Makes the first write of an object of Widget from now on hang until `release_`, or until it is
  /// cancelled.
  void hang_widgets() {
    server_.intercept([this](const http::Request& request) -> std::optional<http::Response> {
      if (request.method == "PUT" && request.body.contains("DefinitionChanged")) said_changed_ = true;
      if (request.method != "PATCH" || !request.path.contains("/widgets/")) return std::nullopt;
      if (hanging_.fetch_add(1) == 0) hangs_.set_value();
      std::promise<void> cancelled;
      const std::stop_callback on_release(release_.get_token(), [&] { request_ended(cancelled); });
      const std::stop_callback on_cancel(request.cancelled, [&] {
        ++cancelled_;
        request_ended(cancelled);
      });
      cancelled.get_future().wait();
      return std::nullopt;
    });
  }
  static void request_ended(std::promise<void>& promise) {
    try {
      promise.set_value();
    } catch (const std::future_error&) {
      return;  // released and cancelled
    }
  }
};

TEST_F(ConcurrentConversionsTest, AMigrationThatHangsHoldsUpNoOther) {
  ASSERT_TRUE(first_hangs());
  server_.ask_for("second", spec("Gear"));
  EXPECT_TRUE(wait_until_completed("second")) << completed_of("second");
  EXPECT_TRUE(is_trimmed("gears"));
  EXPECT_TRUE(completed_of("first").starts_with("Unknown/Migrating")) << completed_of("first");
  release_.request_stop();
  EXPECT_TRUE(wait_until_completed("first")) << completed_of("first");
}

TEST_F(ConcurrentConversionsTest, NoKindIsMigratedTwiceAtOnce) {
  ASSERT_TRUE(first_hangs());
  // Every kind of the group, the same one among them.
  server_.ask_for("second", spec("CustomResourceDefinition"));
  EXPECT_TRUE(comes_to(
      "second", "Unknown/Pending: it waits for the Conversion a/first, which migrates widgets.example.com"))
      << completed_of("second");
  server_.ask_for("third", spec("Widget"));
  EXPECT_TRUE(comes_to("third", "Unknown/Pending: it waits for the Conversion a/")) << completed_of("third");
  EXPECT_EQ(hanging_, 1);
  release_.request_stop();
  for (const char* name : {"first", "second", "third"})
    EXPECT_TRUE(wait_until_completed(name)) << completed_of(name);
  // The first one has trimmed it, so that the others have nothing to write.
  EXPECT_EQ(hanging_, 20);
  EXPECT_TRUE(is_trimmed("gears") && is_trimmed("bolts"));
}

TEST_F(ConcurrentConversionsTest, NoMoreMigrationsRunAtOnceThanAllowed) {
  options_.concurrent_migrations = 1;
  ASSERT_TRUE(first_hangs());
  server_.ask_for("second", spec("Gear"));
  EXPECT_TRUE(comes_to("second", "Unknown/Pending: it waits for its turn: at most 1 migrations run at once"))
      << completed_of("second");
  // What writes nothing has no need to wait.
  server_.ask_for("third", spec("Gadget"));
  EXPECT_TRUE(comes_to("third", "False/NotAccepted")) << completed_of("third");
  EXPECT_FALSE(is_trimmed("gears"));
  EXPECT_TRUE(controller_->metrics().contains("fairway_conversion_migrations{state=\"running\"} 1\n"));
  release_.request_stop();
  EXPECT_TRUE(wait_until_completed("second")) << completed_of("second");
}

TEST_F(ConcurrentConversionsTest, ADeletedConversionIsStoppedAtOnceAndGivesItsPlaceAway) {
  options_.concurrent_migrations = 1;
  ASSERT_TRUE(first_hangs());
  server_.ask_for("second", spec("Gear"));
  server_.remove_conversion("first");
  EXPECT_TRUE(wait_until_completed("second")) << completed_of("second");
  EXPECT_EQ(hanging_, 1);
  EXPECT_EQ(cancelled_, 1);
  EXPECT_FALSE(is_trimmed("widgets"));
}

TEST_F(ConcurrentConversionsTest, AChangedConversionStartsAnewAtOnce) {
  ASSERT_TRUE(first_hangs());
  server_.ask_for("first", spec("Gear"));
  EXPECT_TRUE(wait_until_completed("first")) << completed_of("first");
  EXPECT_EQ(hanging_, 1);
  EXPECT_FALSE(is_trimmed("widgets"));
  EXPECT_TRUE(is_trimmed("gears"));
}

TEST_F(ConcurrentConversionsTest, ADefinitionThatChangesHasItsMigrationStartAnewAtOnce) {
  ASSERT_TRUE(first_hangs());
  server_.intercept({});
  // What was in between was not seen.
  server_.redefine("widgets.example.com",
                   [](k8s::Dynamic& definition) { definition.set("metadata.generation", 2); });
  EXPECT_TRUE(wait_until_completed("first")) << completed_of("first");
  EXPECT_EQ(cancelled_, 1);
  EXPECT_TRUE(is_trimmed("widgets"));
}

TEST_F(ConcurrentConversionsTest, ADefinitionThatChangesHasAMigrationThatWaitsPlannedAgain) {
  options_.concurrent_migrations = 1;
  ASSERT_TRUE(first_hangs());
  for (const auto& [name, kind] : {std::pair{"second", "Gear"}, {"third", "Bolt"}}) {
    server_.ask_for(name, spec(kind));
    EXPECT_TRUE(comes_to(name, "Unknown/Pending: it waits for its turn: at most")) << completed_of(name);
  }
  server_.redefine("gears.example.com", [](k8s::Dynamic&) {});
  EXPECT_TRUE(server_.wait_for("second", [](const k8s::Dynamic& now) {
    const auto kinds = Conversion(now.json()).kinds();
    return kinds.size() == 1 && kinds.front().definition_generation == 2;
  })) << "it is not about the definition as it is now";
  // Where it may not begin any more, it says so at once, and does not wait.
  server_.redefine("bolts.example.com", [](k8s::Dynamic& definition) {
    for (json::Value& entry : definition.array("spec.versions")) {
      k8s::Editor version(entry.get_object());
      version.set("storage", version.text("name") == "v1alpha1");
    }
  });
  EXPECT_TRUE(comes_to("third", "False/NotAccepted")) << completed_of("third");
  release_.request_stop();
  EXPECT_TRUE(wait_until_completed("second")) << completed_of("second");
  EXPECT_TRUE(is_trimmed("gears"));
  EXPECT_FALSE(said_changed_) << "nothing was written by the old plan";
}

TEST_F(ConcurrentConversionsTest, WhatAMigrationWaitsForIsSaidAnewWhenThatHasEnded) {
  ASSERT_TRUE(first_hangs());
  for (const char* name : {"second", "third"}) {
    server_.ask_for(name, spec("Widget"));
    EXPECT_TRUE(comes_to(
        name, "Unknown/Pending: it waits for the Conversion a/first, which migrates widgets.example.com"))
        << completed_of(name);
  }
  server_.remove_conversion("first");
  // Which of the two comes first is not what this is about.
  EXPECT_TRUE(fairway::testing::eventually([&] {
    const std::string waits = "Unknown/Pending: it waits for the Conversion a/";
    return completed_of("third").starts_with(waits + "second,") ||
           completed_of("second").starts_with(waits + "third,");
  })) << completed_of("second")
      << "; " << completed_of("third");
  release_.request_stop();
  for (const char* name : {"second", "third"}) EXPECT_TRUE(wait_until_completed(name)) << completed_of(name);
}

TEST_F(ConcurrentConversionsTest, OneThatIsNotAnsweredMakesRoomForOthersAndContinuesAfterThem) {
  options_.concurrent_migrations = 1;
  let_time_pass();
  ASSERT_TRUE(first_hangs(clock_));
  server_.ask_for("second", spec("Gear"));
  EXPECT_TRUE(comes_to("second", "Unknown/Pending: it waits for its turn: at most"))
      << completed_of("second");
  clock_.advance(std::chrono::minutes(2));
  EXPECT_TRUE(completed_of("first").starts_with("Unknown/Migrating")) << completed_of("first");
  EXPECT_EQ(cancelled_, 0);
  clock_.advance(std::chrono::minutes(3));
  EXPECT_TRUE(wait_until_completed("second")) << completed_of("second");
  EXPECT_TRUE(comes_to("first",
                       "False/Stalled: no request was answered for 5m0s; it continues after the migrations "
                       "that wait"))
      << completed_of("first");
  EXPECT_EQ(server_.conversion("first").text("status.lastError"), "no request was answered for 5m0s");
  release_.request_stop();
  EXPECT_TRUE(wait_until_completed("first")) << completed_of("first");
  EXPECT_EQ(server_.conversion("first").text("status.lastError"), "");
  EXPECT_TRUE(is_trimmed("widgets"));
}

TEST_F(ConcurrentConversionsTest, AKindThatIsNotAnsweredComesAfterTheOthersOfItsConversion) {
  hang_widgets();
  let_time_pass();
  start(clock_);
  // By name, Widget would be the last one: it has objects, and the others have none.
  server_.define("axles", "Axle", {"v1alpha1", "v1"});
  server_.ask_for("first", spec("CustomResourceDefinition"));
  ASSERT_EQ(hangs_.get_future().wait_for(limit), std::future_status::ready);
  EXPECT_TRUE(is_trimmed("axles") && is_trimmed("gears") && is_trimmed("bolts"));
  server_.define("zeppelins", "Zeppelin", {"v1alpha1", "v1"});
  // Answers to its other requests may come late: the time is counted from the last one.
  const auto after_minutes = [this](const auto& holds) {
    return fairway::testing::eventually([&] {
      clock_.advance(std::chrono::minutes(1));
      return holds();
    });
  };
  EXPECT_TRUE(after_minutes([&] { return is_trimmed("zeppelins"); }));
  EXPECT_TRUE(after_minutes([&] { return completed_of("first").starts_with("False/Stalled: "); }))
      << completed_of("first");
  release_.request_stop();
  EXPECT_TRUE(after_minutes([&] { return completed_of("first").starts_with("True/"); }))
      << completed_of("first");
}

TEST_F(ConcurrentConversionsTest, ContinueAfterARestart) {
  server_.intercept([this](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PATCH" || ++hanging_ != 13) return std::nullopt;
    hangs_.set_value();
    StoredObjects::wait_until_cancelled(request);
    return http::Response::text(503, "stopped");
  });
  start();
  server_.ask_for("first", spec("Widget"));
  ASSERT_EQ(hangs_.get_future().wait_for(limit), std::future_status::ready);
  controller_.reset();
  EXPECT_EQ(server_.conversion("first").integer("status.objectsDone"), 10);
  server_.intercept({});
  start();
  EXPECT_TRUE(wait_until_completed("first")) << completed_of("first");
  EXPECT_EQ(server_.conversion("first").integer("status.objectsDone"), 20);
  for (const auto& [key, object] : server_.objects()) EXPECT_EQ(object.writes, 1) << key.to_string();
}

TEST_F(ConcurrentConversionsTest, ManyAreCompletedWhileConversionsAndDefinitionsChange) {
  constexpr int count = 24;
  const std::vector<const char*> kinds{"Widget", "Gear", "Bolt", "CustomResourceDefinition"};
  start();
  std::vector<std::jthread> users;
  for (int user = 0; user < 4; ++user) {
    users.emplace_back([&, user] {
      for (int i = user; i < count; i += 4) {
        const std::string name = "c" + std::to_string(i);
        server_.ask_for(name, spec(kinds[static_cast<std::size_t>(i) % 4]));
        if (i % 3 == 0) server_.ask_for(name, spec(kinds[static_cast<std::size_t>(i + 1) % 4]));
        if (i % 5 == 0) server_.remove_conversion(name);
        if (i % 5 == 0) server_.ask_for(name, spec(kinds[static_cast<std::size_t>(i) % 4]));
        if (i % 6 == 0) server_.redefine("gears.example.com", [](k8s::Dynamic&) {});
      }
    });
  }
  users.clear();
  for (int i = 0; i < count; ++i) {
    const std::string name = "c" + std::to_string(i);
    EXPECT_TRUE(wait_until_completed(name.c_str())) << name << " " << completed_of(name.c_str());
  }
  for (const char* plural : {"widgets", "gears", "bolts"}) EXPECT_TRUE(is_trimmed(plural)) << plural;
}

}  // namespace
}  // namespace fairway::conversion
