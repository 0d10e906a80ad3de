// SPDX-License-Identifier: Apache-2.0

// Migrations whose webhook, or API server, cannot be reached for a while.
#include "conversion/internal/migration/outage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "conversion/migration/conversion_controller.h"
#include "conversion/migration/migration.h"
#include "conversion/stored_objects.h"
#include "k8s/condition.h"

namespace fairway::conversion {
namespace {

using testing::StoredObjects;

constexpr const char* refused =
    "conversion webhook for example.com/v1alpha1, Kind=Widget failed: Post "
    "\"https://widgets.shop.svc:443/convert?timeout=30s\": dial tcp 10.0.0.7:443: connect: connection "
    "refused";
constexpr const char* late =
    "conversion webhook for example.com/v1alpha1, Kind=Widget failed: Post "
    "\"https://widgets.shop.svc:443/convert?timeout=30s\": context deadline exceeded";

constexpr const char* broken =
    "conversion webhook for example.com/v1alpha1, Kind=Widget failed: Post "
    "\"https://widgets.shop.svc:443/convert?timeout=30s\": EOF";

TEST(Outage, IsToldFromAnObjectByTheWordsOfKubernetes) {
  struct Row {
    int code;
    const char *reason, *message;
    Fault fault;
  };
  const std::vector<Row> rows{
      {500, "InternalError", refused, Fault::outage},
      {500, "InternalError", late, Fault::perhaps_outage},
      {500, "InternalError",
       "Internal error occurred: failed calling webhook \"w.example.com\": failed to call webhook: Post "
       "\"https://w.shop.svc:443/validate?timeout=10s\": no endpoints available for service \"w\"",
       Fault::outage},
      {500, "InternalError",
       "conversion webhook for example.com/v1, Kind=Widget failed: an error on the server (\"no\") has "
       "prevented "
       "the request from succeeding",
       Fault::perhaps_outage},
      {500, "InternalError",
       "conversion webhook for example.com/v1, Kind=Widget failed: cannot unmarshal string into float64",
       Fault::object},
      {500, "InternalError", "something else: Post \"https://a\": connection refused", Fault::object},
      {422, "Invalid", "Widget \"a\" is invalid: spec.size", Fault::object},
      {404, "NotFound", "admission webhook \"w.example.com\" denied the request: no team", Fault::object},
      {429, "TooManyRequests", "admission webhook \"w.example.com\" denied the request: no", Fault::object},
      {401, "Unauthorized", "admission webhook \"w.example.com\" denied the request without explanation",
       Fault::object},
      {403, "Forbidden", "admission webhook \"w.example.com\" denied the request: no", Fault::object},
      {403, "Forbidden", "widgets \"a\" is forbidden: User \"u\" cannot patch resource \"widgets\"",
       Fault::request},
      {404, "NotFound", "the server could not find the requested resource", Fault::request},
      {429, "TooManyRequests", "slow down", Fault::perhaps_outage},
      {503, "ServiceUnavailable", "not yet", Fault::perhaps_outage},
      {500, "InternalError", broken, Fault::perhaps_outage},
      {500, "InternalError",
       "failed calling webhook \"w.example.com\": failed to call webhook: Post "
       "\"https://w.shop.svc:443/validate?timeout=10s\": read tcp 10.0.0.1:4->10.0.0.7:443: read: connection "
       "reset by peer",
       Fault::perhaps_outage},
      {504, "Timeout", "request did not complete", Fault::perhaps_outage}};
  for (const Row& row : rows) {
    k8s::Status status = k8s::Status::failure(row.reason, row.message);
    status.set("code", row.code);
    EXPECT_EQ(fault_of(kube::ApiError("patching", status)), row.fault) << row.message;
  }
  EXPECT_EQ(fault_of(kube::ApiError(Error{ErrorCode::unavailable, "refused"})), Fault::outage);
  EXPECT_EQ(fault_of(kube::ApiError(Error{ErrorCode::cancelled, "stopped"})), Fault::request);
}

class OutageTest : public ::testing::Test {
 protected:
  static constexpr int count = 200;

  OutageTest() {
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    client_ = server_.client();
    for (int i = 0; i < count; ++i)
      server_.add({.namespace_name = "a", .name = "w" + std::to_string(1000 + i)}, "v1alpha1");
  }
  /// Fails the next `times` requests of a method.
  void fail_for(int times, const std::string& method, std::string_view reason, const std::string& message) {
    server_.intercept([=, this](const http::Request& request) -> std::optional<http::Response> {
      if (request.method != method || !request.path.contains("/apis/example.com/") || failed_ >= times)
        return std::nullopt;
      ++failed_;
      return StoredObjects::refusal(reason, message);
    });
  }
  Result<void> migrate(KindProgress& progress, const Checkpoint& checkpoint = {}) {
    return migrate_kind(*client_, request_, pace_, progress, checkpoint);
  }
  KindProgress planned() {
    auto plan = plan_migration(*client_, request_);
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? plan->at(0) : KindProgress{};
  }
  bool trimmed() const {
    return server_.stored_versions("widgets.example.com") == std::vector<std::string>{"v1"};
  }

  std::atomic<int> failed_ = 0;
  StoredObjects server_;
  std::shared_ptr<kube::Client> client_;
  MigrationRequest request_{
      .group = "example.com", .kind = "Widget", .old_version = "v1alpha1", .new_version = "v1"};
  MigrationPace pace_{.page_size = 50, .attempts = 2, .settle = {}};
};

TEST_F(OutageTest, OfTheWebhookIsWaitedOutAndLeavesNothingOut) {
  struct Row {
    const char *method, *reason, *message, *says;
    int times;
  };
  const std::vector<Row> rows{
      {"PATCH", "InternalError", refused, "waiting for the webhook since ", 20},
      {"PATCH", "InternalError", late, "waiting for the webhook since ", 20},
      {"PATCH", "ServiceUnavailable", "the server is starting", "waiting for the API server since ", 20},
      {"GET", "InternalError", refused, "waiting for the webhook since ", 6}};
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.method) + " " + row.message);
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    failed_ = 0;
    KindProgress progress = planned();
    const int before = server_.patches();
    fail_for(row.times, row.method, row.reason, row.message);
    std::vector<std::string> told;
    const auto done = migrate(progress, [&](const KindProgress& now) -> Result<void> {
      if (now.waiting) told.push_back(now.waiting->describe());
      return {};
    });
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(progress.left_out.empty());
    EXPECT_EQ(progress.done, count);
    EXPECT_FALSE(progress.waiting);
    EXPECT_TRUE(trimmed());
    // Said once, and no more objects tried than it takes to see it.
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(told[0].starts_with(row.says)) << told[0];
    EXPECT_TRUE(told[0].ends_with(row.message)) << told[0];
    EXPECT_EQ(failed_, row.times);
    EXPECT_EQ(server_.patches() - before, count);
    server_.intercept({});
  }
}

TEST_F(OutageTest, IsNoneWhereOneObjectIsToBlame) {
  struct Row {
    const char *reason, *message;
  };
  for (const Row& row : {Row{"InternalError", late}, Row{"InternalError", broken},
                         Row{"ServiceUnavailable", "the team of w1107 is unknown"}}) {
    SCOPED_TRACE(row.message);
    server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
      if (request.method != "PATCH" || !request.path.ends_with("/w1107")) return std::nullopt;
      return StoredObjects::refusal(row.reason, row.message);
    });
    KindProgress progress = planned();
    std::vector<Waiting> told;
    ASSERT_FALSE(migrate(progress, [&](const KindProgress& now) -> Result<void> {
      if (now.waiting) told.push_back(*now.waiting);
      return {};
    }));
    EXPECT_EQ(progress.done, count - 1);
    EXPECT_FALSE(progress.waiting);
    ASSERT_EQ(progress.left_out.keys().size(), 1U);
    EXPECT_EQ(progress.left_out.keys()[0].name, "w1107");
    // Until then, it is said which object is tried again, and that the rest of its page is written.
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told[0].written, pace_.page_size - 1);
    EXPECT_EQ(told[0].objects, (std::vector<std::string>{"a/w1107"}));
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
  }
}

TEST_F(OutageTest, IsNoneWhereAListMeetsOneObjectThatBreaksTheWebhook) {
  server_.redefine("widgets.example.com", [](k8s::Dynamic& definition) {
    for (json::Value& entry : definition.array("spec.versions")) {
      k8s::Editor one(entry.get_object());
      if (one.text("name") == "v1alpha1") one.set("served", false);
    }
  });
  server_.spoil({.namespace_name = "a", .name = "w1107"}, broken);
  KindProgress progress = planned();
  ASSERT_FALSE(migrate(progress));
  EXPECT_EQ(progress.done, count - 1);
  ASSERT_EQ(progress.left_out.keys().size(), 1U);
  EXPECT_EQ(progress.left_out.keys()[0].name, "w1107");
}

TEST_F(OutageTest, EndsWithARequestToStopAndItsBeginningIsKept) {
  fail_for(1'000'000, "PATCH", k8s::reason::internal_error, refused);
  KindProgress progress = planned();
  std::stop_source stop;
  const auto done = migrate_kind(
      *client_, request_, pace_, progress,
      [&](const KindProgress& now) -> Result<void> {
        if (now.waiting) stop.request_stop();
        return {};
      },
      stop.get_token());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::cancelled) << done.error().message;
  ASSERT_TRUE(progress.waiting);
  EXPECT_TRUE(progress.left_out.empty());
  EXPECT_EQ(progress.done, 0);
  EXPECT_LE(failed_, 2 * pace_.workers * pace_.attempts);
}

TEST_F(OutageTest, IsSaidByTheConversion) {
  server_.ask_for(
      "up", {{"group", "example.com"}, {"oldVersion", "v1alpha1"}, {"newVersion", "v1"}, {"kind", "Widget"}});
  std::vector<std::string> completed;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PUT" && request.path.contains("/conversions/")) {
      const auto sent = k8s::Dynamic::parse(request.body).value();
      const auto found = k8s::find_condition(sent, "Completed");
      completed.push_back(std::string(found->reason()) + ": " + std::string(found->message()));
      const auto kinds = sent.items("status.kinds");
      EXPECT_EQ(kinds.at(0).has("waitingSince"), found->reason() == "WaitingForWebhook");
    }
    if (request.method != "PATCH" || failed_ >= 20) return std::nullopt;
    ++failed_;
    return StoredObjects::refusal(k8s::reason::internal_error, refused);
  });
  ASSERT_TRUE(reconcile_conversion(*client_, {.namespace_name = "a", .name = "up"}, pace_, {}));
  EXPECT_TRUE(std::ranges::any_of(completed, [](const std::string& one) {
    return one.starts_with("WaitingForWebhook: waiting for the webhook since ") &&
           one.ends_with("connection refused");
  }));
  EXPECT_TRUE(completed.back().starts_with("Completed: 200 objects")) << completed.back();
}

}  // namespace
}  // namespace fairway::conversion
