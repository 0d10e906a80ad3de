// SPDX-License-Identifier: Apache-2.0

// A migration whose definition changes while it is in progress.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "conversion/migration/migration.h"
#include "conversion/stored_objects.h"

namespace fairway::conversion {
namespace {

using testing::StoredObjects;

constexpr const char* widgets = "widgets.example.com";
constexpr auto limit = fairway::testing::generous(std::chrono::seconds(3));

void store_in(k8s::Dynamic& definition, std::string_view version) {
  for (json::Value& entry : definition.array("spec.versions")) {
    k8s::Editor editor(entry.get_object());
    editor.set("storage", editor.text("name") == version);
  }
}

/// Answers as a server that does not let the client watch.
std::optional<http::Response> refuse_watches(const http::Request& request) {
  if (!request.query.contains("watch=")) return std::nullopt;
  return StoredObjects::refusal(k8s::reason::forbidden, "no watching");
}

class DefinitionChangeTest : public ::testing::Test {
 protected:
  DefinitionChangeTest() {
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    for (int i = 0; i < 100; ++i)
      server_.add({.namespace_name = "a", .name = "w" + std::to_string(100 + i)}, "v1alpha1");
    client_ = server_.client();
  }
  ~DefinitionChangeTest() override { server_.intercept({}); }

  Result<void> migrate() {
    auto plan = plan_migration(*client_, request_);
    if (!plan) return fail(plan.error());
    progress_ = plan->at(0);
    return migrate_kind(*client_, request_, pace_, progress_, {}, stop_.get_token());
  }
  /// Begins a migration whose third write hangs until it is cancelled; returns whether it gets there in time.
  /// `other` answers other requests if it has an answer.
  bool begin_and_hang(const std::function<std::optional<http::Response>(const http::Request&)>& other = {}) {
    server_.intercept([this, other](const http::Request& request) -> std::optional<http::Response> {
      if (other) {
        if (auto answer = other(request)) return answer;
      }
      if (request.method != "PATCH" || ++patches_ != 3) return std::nullopt;
      hangs_.set_value();
      StoredObjects::wait_until_cancelled(request);
      return std::nullopt;
    });
    done_ = std::async(std::launch::async, [this] { return migrate(); });
    return hangs_.get_future().wait_for(limit) == std::future_status::ready;
  }
  /// Changes the definition so that the migration may not go on.
  void change_definition() {
    server_.redefine(widgets, [](k8s::Dynamic& definition) { store_in(definition, "v1alpha1"); });
  }
  /// Checks that it ends in time, because of a changed definition; stops it otherwise.
  void expect_ended_by_change() {
    const bool in_time = done_.wait_for(limit) == std::future_status::ready;
    EXPECT_TRUE(in_time) << "the migration did not end";
    if (!in_time) stop_.request_stop();
    const auto result = done_.get();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::conflict) << result.error().message;
  }
  bool trimmed() const { return server_.stored_versions(widgets) == std::vector<std::string>{"v1"}; }

  struct Change {
    const char* says;
    std::function<void(StoredObjects&)> make;
  };
  /// Changes of a definition, and the text about each.
  static std::vector<Change> changes() {
    const auto redefined = [](std::function<void(k8s::Dynamic&)> change) {
      return [change = std::move(change)](StoredObjects& server) { server.redefine(widgets, change); };
    };
    return {{"its storage version is v1alpha1",
             redefined([](k8s::Dynamic& definition) { store_in(definition, "v1alpha1"); })},
            {"v1 is no longer served", redefined([](k8s::Dynamic& definition) {
               k8s::Editor(definition.array("spec.versions").back().get_object()).set("served", false);
             })},
            {"it is being deleted", redefined([](k8s::Dynamic& definition) {
               definition.set("metadata.deletionTimestamp", "2026-01-02T03:04:05Z");
             })},
            {"it was deleted and created again",
             redefined([](k8s::Dynamic& definition) { definition.set("metadata.uid", "another"); })},
            {"it was deleted", [](StoredObjects& server) { server.remove_definition(widgets); }},
            // What was in between was not seen.
            {"its generation is 3 and not 1",
             redefined([](k8s::Dynamic& definition) { definition.set("metadata.generation", 2); })},
            {"its conversion is another one", redefined([](k8s::Dynamic& definition) {
               definition.set("metadata.generation", 2);
               definition.set("spec.conversion.strategy", "Webhook");
             })}};
  }

  /// Numbers of patches and watches, counted by interceptors.
  std::atomic<int> patches_ = 0, watches_ = 0;
  std::promise<void> hangs_, watches_again_;
  StoredObjects server_;  ///< its interceptor uses those above
  std::shared_ptr<kube::Client> client_;
  MigrationRequest request_{
      .group = "example.com", .kind = "Widget", .old_version = "v1alpha1", .new_version = "v1"};
  MigrationPace pace_{.workers = 1, .page_size = 20, .settle = {}};
  KindProgress progress_;
  std::stop_source stop_;
  std::future<Result<void>> done_;  ///< result of the migration in progress; it uses all above
};

TEST_F(DefinitionChangeTest, EndsAMigrationInThePageInWhichItHappens) {
  for (const Change& change : changes()) {
    SCOPED_TRACE(change.says);
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    patches_ = 0;
    server_.intercept([this, change](const http::Request& request) -> std::optional<http::Response> {
      if (request.method == "PATCH" && ++patches_ == 5) change.make(server_);
      return std::nullopt;
    });
    const auto done = migrate();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::conflict);
    EXPECT_TRUE(
        done.error().message.contains(std::string(change.says) + "): the migration has to begin again"))
        << done.error().message;
    // A request that was given up may arrive late.
    EXPECT_LT(patches_, 40) << "objects of all pages were written";
    EXPECT_FALSE(progress_.finished);
    server_.intercept({});
  }
}

TEST_F(DefinitionChangeTest, IsNoticedWhileAWriteHangs) {
  ASSERT_TRUE(begin_and_hang());
  change_definition();
  expect_ended_by_change();
  EXPECT_EQ(patches_, 3);
}

TEST_F(DefinitionChangeTest, EndsTheWaitBeforeThePass) {
  pace_.settle = std::chrono::hours(1);
  std::promise<void> waits;
  std::atomic<bool> told = false;
  auto plan = plan_migration(*client_, request_);
  ASSERT_TRUE(plan);
  done_ = std::async(std::launch::async, [&] {
    return migrate_kind(
        *client_, request_, pace_, plan->at(0),
        [&](const KindProgress&) -> Result<void> {
          if (!told.exchange(true)) waits.set_value();
          return {};
        },
        stop_.get_token());
  });
  EXPECT_EQ(waits.get_future().wait_for(limit), std::future_status::ready);
  change_definition();
  expect_ended_by_change();
  EXPECT_EQ(server_.writes(), 0);
}

TEST_F(DefinitionChangeTest, IsNoticedWithoutTheRightToWatch) {
  FakeClock clock;
  client_ = server_.client(&clock);
  ASSERT_TRUE(begin_and_hang(refuse_watches));
  clock.wait_for_waiters(1);  // until it reads the definition again
  change_definition();
  clock.advance(std::chrono::seconds(10));
  expect_ended_by_change();
}

TEST_F(DefinitionChangeTest, IsTheReasonOfErrorsThatComeOfIt) {
  FakeClock clock;
  client_ = server_.client(&clock);
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (auto refused = refuse_watches(request)) return refused;
    if (request.method != "PATCH") return std::nullopt;
    if (++patches_ == 1) {
      clock.wait_for_waiters(1);  // until it reads the definition again, which does not come
      change_definition();
    }
    return StoredObjects::refusal(k8s::reason::not_found, "the resource is not served");
  });
  const auto done = migrate();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::conflict) << done.error().message;
}

TEST_F(DefinitionChangeTest, OfItsStatusAloneEndsNothing) {
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && ++patches_ == 5) {
      auto read =
          client_->get(k8s::CustomResourceDefinition::resource.group_version_resource(), {"", widgets});
      read->set("status.conditions", json::Array{});
      EXPECT_TRUE(client_->replace(k8s::CustomResourceDefinition::resource.group_version_resource(), *read,
                                   "status"));
    }
    return std::nullopt;
  });
  const auto done = migrate();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(trimmed());
}

TEST_F(DefinitionChangeTest, OfWhatIsNotTheTargetEndsNothing) {
  const std::vector<std::function<void(k8s::Dynamic&)>> changes{
      [](k8s::Dynamic& definition) {
        definition.set("spec.conversion.webhook.clientConfig.caBundle", "bmV3");
      },
      [](k8s::Dynamic& definition) {
        k8s::Editor(definition.array("spec.versions").back().get_object())
            .set("schema.openAPIV3Schema.type", "object");
      }};
  for (const auto& change : changes) {
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    patches_ = 0;
    server_.intercept([this, change](const http::Request& request) -> std::optional<http::Response> {
      // Twice, as when a certificate is rotated and its bundle trimmed.
      if (request.method == "PATCH" && (++patches_ == 5 || patches_ == 30)) server_.redefine(widgets, change);
      return std::nullopt;
    });
    const auto done = migrate();
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(trimmed());
    server_.intercept({});
  }
}

TEST_F(DefinitionChangeTest, IsNoticedAfterTheServerEndedTheWatch) {
  ASSERT_TRUE(begin_and_hang([this](const http::Request& request) -> std::optional<http::Response> {
    if (!request.query.contains("watch=")) return std::nullopt;
    // The first watch begins at a version that the server has forgotten.
    const int watch = ++watches_;
    if (watch == 1) return StoredObjects::refusal(k8s::reason::expired, "too old");
    if (watch == 2) watches_again_.set_value();
    return std::nullopt;
  }));
  // The definition was read before this watch, which is what has to notice the change.
  EXPECT_EQ(watches_again_.get_future().wait_for(limit), std::future_status::ready);
  change_definition();
  expect_ended_by_change();
}

}  // namespace
}  // namespace fairway::conversion
