// SPDX-License-Identifier: Apache-2.0

#include "conversion/migration/conversion_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "base/file.h"
#include "conversion/stored_objects.h"
#include "k8s/condition.h"

namespace fairway::conversion {
namespace {

using testing::StoredObjects;

class ConversionControllerTest : public ::testing::Test {
 protected:
  ConversionControllerTest() {
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    client_ = server_.client();
    for (int i = 0; i < 50; ++i)
      server_.add({.namespace_name = i % 2 == 0 ? "a" : "b", .name = "w" + std::to_string(100 + i)},
                  "v1alpha1");
  }
  static json::Object spec(const char* kind = "Widget", const char* to = "v1") {
    return {{"group", "example.com"}, {"oldVersion", "v1alpha1"}, {"newVersion", to}, {"kind", kind}};
  }
  Result<kube::Requeue> reconcile(const std::stop_token& stop = {}) {
    return reconcile_conversion(*client_, {.namespace_name = "a", .name = "up"}, pace_, stop);
  }
  /// "Accepted=True/Accepted: message".
  std::string condition(const char* type) const {
    const k8s::Dynamic object = server_.conversion("up");
    const auto found = k8s::find_condition(object, type);
    if (!found) return "none";
    EXPECT_EQ(found->observed_generation(), object.generation());
    return std::string(k8s::to_string(found->status())) + "/" + std::string(found->reason()) + ": " +
           std::string(found->message());
  }
  std::vector<std::string> stored() const { return server_.stored_versions("widgets.example.com"); }

  StoredObjects server_;
  std::shared_ptr<kube::Client> client_;
  MigrationPace pace_{.page_size = 10, .settle = {}};
};

TEST_F(ConversionControllerTest, WorksToTheEndAndSaysSo) {
  server_.ask_for("up", spec("CustomResourceDefinition"));
  const auto done = reconcile();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->kind, kube::Requeue::Kind::done);
  EXPECT_EQ(condition("Accepted"), "True/Accepted: ");
  EXPECT_EQ(condition("Completed"), "True/Completed: 50 objects; v1 is the only stored version");
  const k8s::Dynamic object = server_.conversion("up");
  EXPECT_EQ(object.integer("status.objectsDone"), 50);
  EXPECT_EQ(object.integer("status.objectsTotal"), 50);
  EXPECT_FALSE(object.has("status.continueToken"));
  EXPECT_EQ(stored(), std::vector<std::string>{"v1"});
  // Once is enough.
  const std::string before(object.resource_version());
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(server_.conversion("up").resource_version(), before);
}

TEST_F(ConversionControllerTest, WritesNothingWhereItMayNotBegin) {
  struct Row {
    json::Object spec;
    const char* accepted;
  };
  json::Object selector = spec();
  selector["selector"] = json::Object{{"matchLabel", json::Object{}}};
  json::Object text = spec();
  text["dryRun"] = "yes";
  const std::vector<Row> rows{
      {spec("Widget", "v1alpha1"), "False/NotStorageVersion: v1alpha1 is not the storage version"},
      {spec("Gadget"), "False/KindNotFound: there is no custom resource of kind Gadget"},
      {{{"group", "example.com"}, {"kind", "Widget"}, {"newVersion", "v1"}},
       "False/Invalid: spec.oldVersion"},
      {selector, "False/Invalid: spec.selector"},
      {text, "False/Invalid: spec.dryRun is of the wrong type"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.accepted);
    server_.ask_for("up", row.spec);
    ASSERT_TRUE(reconcile());
    EXPECT_TRUE(condition("Accepted").starts_with(row.accepted)) << condition("Accepted");
    EXPECT_TRUE(condition("Completed").starts_with("False/NotAccepted")) << condition("Completed");
    EXPECT_EQ(server_.writes(), 0);
    EXPECT_EQ(stored().size(), 2U);
  }
}

TEST_F(ConversionControllerTest, GoesOnWhereAnotherReplicaWasKilled) {
  server_.ask_for("up", spec());
  // Each replica is stopped as soon as it has written down a page of its own.
  for (int kills = 0; kills < 20; ++kills) {
    std::stop_source stop;
    std::atomic<int> pages = 0;
    server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
      // The first is the beginning, the second a page.
      if (request.method == "PUT" && request.path.contains("conversions") && ++pages == 2)
        stop.request_stop();
      return std::nullopt;
    });
    if (reconcile(stop.get_token())) break;
    // The server may have taken a write whose answer nobody was there to read.
    const std::string completed = condition("Completed");
    EXPECT_TRUE(completed.starts_with("Unknown/Migrating") || completed.starts_with("True/Completed"))
        << completed;
    // Trimmed at the end and not before, though the last may be killed before it can say so.
    const auto objects = server_.objects();
    const bool all = std::ranges::all_of(objects, [](const auto& one) { return one.second.version == "v1"; });
    EXPECT_TRUE(stored().size() == 2 || all);
  }
  EXPECT_EQ(condition("Completed"), "True/Completed: 50 objects; v1 is the only stored version");
  for (const auto& [key, object] : server_.objects()) EXPECT_EQ(object.writes, 1) << key.to_string();
}

TEST_F(ConversionControllerTest, SaysWhatWasLeftOutAndTriesAgain) {
  server_.ask_for("up", spec());
  std::atomic<bool> broken = true;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (broken && request.method == "PATCH" && request.path.ends_with("/w111"))
      return StoredObjects::refusal(k8s::reason::invalid, "spec.size: must be positive");
    return std::nullopt;
  });
  ASSERT_TRUE(reconcile());
  EXPECT_TRUE(condition("Completed").starts_with("False/ObjectsLeftOut")) << condition("Completed");
  EXPECT_TRUE(server_.conversion("up").text("status.lastError").contains("w111"));
  EXPECT_EQ(stored().size(), 2U);
  const k8s::Dynamic failed = server_.conversion("up");
  const auto kinds = failed.items("status.kinds");
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].integer("objectsLeftOut"), 1);
  const auto causes = kinds[0].items("leftOut");
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].text("cause"), "spec.size: must be positive");
  EXPECT_EQ(causes[0].integer("count"), 1);
  EXPECT_EQ(causes[0].texts("objects"), std::vector<std::string_view>{"b/w111"});
  broken = false;
  const int before = server_.patches();
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(server_.patches(), before + 1);  // it only tries what is left
  EXPECT_TRUE(condition("Completed").starts_with("True/Completed")) << condition("Completed");
  EXPECT_FALSE(server_.conversion("up").has("status.lastError"));
  EXPECT_EQ(stored(), std::vector<std::string>{"v1"});
}

TEST_F(ConversionControllerTest, WritesNoTextThatTheDefinitionWouldRefuse) {
  server_.ask_for("up", spec());
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && request.path.ends_with("/w111"))
      return StoredObjects::refusal(k8s::reason::invalid, std::string(50'000, 'x'));
    return std::nullopt;
  });
  ASSERT_TRUE(reconcile());
  const k8s::Dynamic failed = server_.conversion("up");
  const auto kinds = failed.items("status.kinds");
  ASSERT_EQ(kinds.size(), 1U);
  constexpr std::size_t longest = 4'096;
  const auto definition = read_file(FAIRWAY_SOURCE_DIR "/deploy/migration/conversion-crd.yaml");
  ASSERT_TRUE(definition);
  EXPECT_TRUE(definition->contains("lastError: {type: string, maxLength: 4096}"));
  EXPECT_EQ(failed.text("status.lastError").size(), longest);
  EXPECT_EQ(kinds[0].text("lastError").size(), longest);
  EXPECT_LE(kinds[0].items("leftOut").at(0).text("cause").size(), longest);
}

TEST_F(ConversionControllerTest, TriesWhatFailedLaterEveryTimeAndSaysAllTheTimeThatItFailed) {
  FakeClock clock;
  client_ = server_.client(&clock);
  server_.ask_for("up", spec());
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && request.path.ends_with("/w111"))
      return StoredObjects::refusal(k8s::reason::invalid, "spec.size: must be positive");
    // Written down by each attempt, after its beginning.
    if (request.method == "PUT" && clock.now() > WallTime{}) {
      EXPECT_TRUE(request.body.contains("ObjectsLeftOut")) << request.body;
      EXPECT_FALSE(request.body.contains("Migrating")) << request.body;
    }
    return std::nullopt;
  });
  for (const int minutes : {1, 1, 2, 4, 8, 16, 32, 60, 60}) {
    const auto looked = reconcile();
    ASSERT_TRUE(looked) << looked.error().message;
    EXPECT_EQ(looked->kind, kube::Requeue::Kind::after);
    EXPECT_EQ(looked->delay, std::chrono::minutes(minutes));
    const k8s::Dynamic object = server_.conversion("up");
    const auto completed = k8s::find_condition(object, "Completed");
    ASSERT_TRUE(completed);
    EXPECT_EQ(completed->last_transition(), WallTime{});
    EXPECT_EQ(completed->reason(), "ObjectsLeftOut");
    clock.advance(looked->delay);
  }
}

TEST_F(ConversionControllerTest, GoesOnWithOtherKindsWhereOneHasABadObject) {
  server_.define("bolts", "Bolt", {"v1alpha1", "v1"});
  server_.ask_for("up", spec("CustomResourceDefinition"));
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && request.path.ends_with("/bolts/w111"))
      return StoredObjects::refusal(k8s::reason::invalid, "spec.size: must be positive");
    return std::nullopt;
  });
  ASSERT_TRUE(reconcile());
  EXPECT_TRUE(
      condition("Completed").starts_with("False/ObjectsLeftOut: bolts.example.com: 1 object was left out"))
      << condition("Completed");
  EXPECT_EQ(server_.stored_versions("bolts.example.com").size(), 2U);
  EXPECT_EQ(stored(), std::vector<std::string>{"v1"});
}

TEST_F(ConversionControllerTest, SaysThatTheDefinitionsCouldNotBeReadAndTriesAgain) {
  server_.ask_for("up", spec());
  const std::vector<http::Response> answers{
      StoredObjects::refusal(k8s::reason::forbidden, "you cannot list definitions"),
      StoredObjects::refusal(k8s::reason::not_found, "there is no such resource"),
      http::Response::json(200, "<html>Please log in</html>")};
  for (const http::Response& answer : answers) {
    server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
      if (request.path.ends_with("/customresourcedefinitions")) return answer;
      return std::nullopt;
    });
    EXPECT_FALSE(reconcile());  // so that the queue comes back to it
    EXPECT_TRUE(condition("Accepted").starts_with("Unknown/DefinitionsNotRead: looking for the kinds"))
        << condition("Accepted");
    EXPECT_TRUE(condition("Completed").starts_with("Unknown/Pending")) << condition("Completed");
  }
  server_.intercept({});
  ASSERT_TRUE(reconcile());
  EXPECT_TRUE(condition("Accepted").starts_with("True/Accepted")) << condition("Accepted");
  EXPECT_TRUE(condition("Completed").starts_with("True/Completed")) << condition("Completed");
}

TEST_F(ConversionControllerTest, DoesNotTakeEveryConflictForAChangeOfTheDefinition) {
  server_.ask_for("up", spec());
  std::atomic<int> writes = 0;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "GET" || !request.path.contains("conversions")) return std::nullopt;
    const int at = ++writes;
    if (at < 2 || at > 6) return std::nullopt;
    return StoredObjects::refusal(k8s::reason::conflict, "the object has been modified");
  });
  EXPECT_FALSE(reconcile());
  EXPECT_TRUE(condition("Completed").starts_with("Unknown/Migrating")) << condition("Completed");
  // Nor a definition that serves nothing.
  server_.intercept({});
  server_.redefine("widgets.example.com", [](k8s::Dynamic& definition) {
    for (json::Value& entry : definition.array("spec.versions"))
      k8s::Editor(entry.get_object()).set("served", false);
  });
  ASSERT_TRUE(reconcile());
  EXPECT_TRUE(condition("Completed").starts_with("False/Failed: widgets.example.com serves no version"))
      << condition("Completed");
}

TEST_F(ConversionControllerTest, LeavesAConversionThatIsAnotherNow) {
  server_.ask_for("up", spec());
  std::atomic<int> pages = 0;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PUT" || !request.path.contains("conversions") || ++pages != 3) return std::nullopt;
    json::Object narrower = spec();
    narrower["namespace"] = "b";
    server_.ask_for("up", narrower);
    return std::nullopt;
  });
  const auto left = reconcile();
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().code, ErrorCode::cancelled);
  EXPECT_EQ(stored().size(), 2U);
  // The new one is looked at from its beginning.
  server_.intercept({});
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(condition("Completed"),
            "True/Completed: 25 objects; storedVersions stays, as not all objects were reached");
  EXPECT_EQ(stored().size(), 2U);
}

TEST_F(ConversionControllerTest, WritesNoMorePagesOnceTheStorageVersionIsSetBackAndKeepsCount) {
  server_.ask_for("up", spec());
  std::atomic<int> pages = 0;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PUT" || !request.path.contains("conversions") || ++pages != 3) return std::nullopt;
    server_.redefine("widgets.example.com", [](k8s::Dynamic& definition) {
      for (json::Value& entry : definition.array("spec.versions")) {
        k8s::Editor version(entry.get_object());
        version.set("storage", version.text("name") == "v1alpha1");
      }
    });
    return std::nullopt;
  });
  ASSERT_TRUE(reconcile());
  EXPECT_TRUE(condition("Completed").starts_with("False/DefinitionChanged: widgets.example.com has changed"))
      << condition("Completed");
  EXPECT_EQ(server_.writes(), 20);
  EXPECT_EQ(stored().size(), 2U);
  // The definition's change has it looked at again.
  ASSERT_TRUE(reconcile());
  EXPECT_TRUE(condition("Accepted")
                  .starts_with("False/NotStorageVersion: v1 is not the storage version of "
                               "widgets.example.com, which is v1alpha1: nothing more is"))
      << condition("Accepted");
  EXPECT_EQ(server_.conversion("up").integer("status.objectsDone"), 20);
  EXPECT_EQ(server_.writes(), 20);
}

TEST_F(ConversionControllerTest, SaysAtOnceThatNothingIsDecided) {
  const auto record = [&] {
    return record_conversion(*client_, Conversion(server_.conversion("up").json()));
  };
  server_.ask_for("up", spec());
  ASSERT_TRUE(record());
  EXPECT_EQ(condition("Accepted"), "Unknown/Pending: it waits for its turn");
  EXPECT_EQ(condition("Completed"), "Unknown/Pending: it waits for its turn");
  ASSERT_TRUE(reconcile());
  EXPECT_TRUE(condition("Completed").starts_with("True/Completed")) << condition("Completed");
  const std::string before(server_.conversion("up").resource_version());
  ASSERT_TRUE(record());
  EXPECT_EQ(server_.conversion("up").resource_version(), before) << "what is decided stays";
  // Another spec is undecided. An object that is not the newest any more does not matter: the server's is
  // read.
  const Conversion older(server_.conversion("up").json());
  server_.ask_for("up", spec("Gadget"));
  Conversion stale = older;
  stale.set("metadata.generation", stale.generation() + 1);
  const auto again = record_conversion(*client_, stale);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->kind, kube::Requeue::Kind::done);
  EXPECT_EQ(condition("Completed"), "Unknown/Pending: it waits for its turn");
  // One of a generation that the server does not have is looked at again, and nothing is written.
  const std::string undecided(server_.conversion("up").resource_version());
  stale.set("metadata.generation", stale.generation() + 1);
  const auto ahead = record_conversion(*client_, stale);
  ASSERT_TRUE(ahead) << ahead.error().message;
  EXPECT_EQ(ahead->kind, kube::Requeue::Kind::with_backoff);
  EXPECT_EQ(server_.conversion("up").resource_version(), undecided);
}

TEST_F(ConversionControllerTest, KeepsWhatWasDecidedSinceTheCacheSawIt) {
  server_.ask_for("up", spec());
  const Conversion cached(server_.conversion("up").json());
  ASSERT_TRUE(reconcile());
  ASSERT_TRUE(record_conversion(*client_, cached));
  EXPECT_TRUE(condition("Accepted").starts_with("True/Accepted")) << condition("Accepted");
  EXPECT_TRUE(condition("Completed").starts_with("True/Completed")) << condition("Completed");
}

TEST_F(ConversionControllerTest, BeginsLaterAndKnowsSinceWhenOverARestart) {
  FakeClock clock;
  clock.advance(std::chrono::milliseconds(1500));
  client_ = server_.client(&clock);
  pace_.settle = std::chrono::seconds(60);
  server_.ask_for("up", spec());
  auto looked = reconcile();
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_EQ(looked->kind, kube::Requeue::Kind::after);
  EXPECT_EQ(looked->delay, std::chrono::seconds(60));
  EXPECT_EQ(condition("Accepted"), "True/Accepted: ");
  EXPECT_TRUE(condition("Completed").starts_with("Unknown/Settling: begins at 1970-01-01T00:01:02Z"))
      << condition("Completed");
  EXPECT_EQ(server_.writes(), 0);
  // What is kept is of whole seconds, and not too early.
  clock.advance(std::chrono::seconds(20));
  looked = reconcile();
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_EQ(looked->delay, std::chrono::milliseconds(40'500));
  EXPECT_EQ(server_.writes(), 0);
  clock.advance(looked->delay);
  looked = reconcile();
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_EQ(looked->kind, kube::Requeue::Kind::done);
  EXPECT_TRUE(condition("Completed").starts_with("True/Completed")) << condition("Completed");
  EXPECT_EQ(stored(), std::vector<std::string>{"v1"});
}

TEST_F(ConversionControllerTest, ADryRunWritesNothing) {
  json::Object dry = spec();
  dry["dryRun"] = true;
  server_.ask_for("up", dry);
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(condition("Completed"), "True/DryRun: 50 objects would have been written");
  EXPECT_EQ(server_.writes(), 0);
}

}  // namespace
}  // namespace fairway::conversion
