// SPDX-License-Identifier: Apache-2.0

// tests/kube/data/client.json: a call, what goes over the wire for it, and what comes of it. The kind is
// Widget of widgets.example.com/v1 where no other is named.
#include "kube/client/client.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/text.h"
#include "kube/caller.h"
#include "kube/client/api.h"
#include "kube/client/conflict.h"
#include "kube/data.h"
#include "kube/scripted_api.h"

namespace fairway::kube {
namespace {

using testing::Caller;
using testing::ScriptedApi;

ClientConfig config_for(const ScriptedApi& server) {
  ClientConfig config;
  config.server = server.url();
  config.cluster_origin = "the test's cluster";
  config.user_origin = "the test's user";
  return config;
}

/// A clock whose time passes whenever somebody waits for it; it records the waits.
class PassingClock final : public Clock {
 public:
  WallTime now() const override { return WallTime{} + (steady() - SteadyTime{}); }
  SteadyTime steady() const override { return now_; }
  bool wait_until(SteadyTime until, std::stop_token) override {
    waits.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(until - now_).count());
    now_ = until;
    return true;
  }
  std::vector<std::int64_t> waits;

 private:
  SteadyTime now_{};
};

TEST(Client, SpeaksAsTheTableSays) {
  for (const json::Value& row : testing::read_cases("client.json")) {
    SCOPED_TRACE(std::string(*json::find_string(row, "case")));
    const ScriptedApi server(row.at("exchanges").as_array());
    PassingClock clock;
    const auto client = Client::create(config_for(server), {.clock = &clock});
    ASSERT_TRUE(client) << client.error().message;
    const auto result = Caller(**client, row.at("call")).run();
    EXPECT_EQ(server.faults(), "");
    if (const json::Value* error = json::find(row, "error")) {
      ASSERT_FALSE(result) << json::to_text(*result);
      EXPECT_EQ(to_string(result.error().code), *json::find_string(*error, "code"));
      EXPECT_EQ(result.error().status.reason(), *json::find_string(*error, "reason"));
      EXPECT_NE(result.error().message.find(*json::find_string(*error, "message")), std::string::npos)
          << result.error().message;
      if (const auto cause = json::find_string(*error, "cause")) {
        EXPECT_TRUE(result.error().status.has_cause(*cause));
      }
    } else {
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(json::to_text(*result), json::to_text(row.at("result")));
    }
    json::Array waits;
    for (const std::int64_t wait : clock.waits) waits.emplace_back(wait / 1000);
    const json::Value* expected = json::find(row, "waits");
    EXPECT_EQ(json::to_text(json::Value(waits)), expected != nullptr ? json::to_text(*expected) : "[]");
  }
}

/// Returns an exchange that answers any request with the reply.
json::Value exchange(std::string_view request, std::string_view reply) {
  return json::Value{{"request", json::parse(request).value()}, {"reply", json::parse(reply).value()}};
}

TEST(Client, TellsOfEachWriteThatMakesAVersionOfAnObject) {
  const char* scale = R"({"status":200,"body":{"apiVersion":"autoscaling/v1","kind":"Scale",
      "metadata":{"name":"w","namespace":"a","resourceVersion":"8"},"spec":{"replicas":2}}})";
  const char* token = R"({"status":201,"body":{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",
      "metadata":{"name":"w","namespace":"a"},"status":{"token":"t"}}})";
  const ScriptedApi server({exchange(R"({"method":"PATCH"})", scale),
                            exchange(R"({"method":"PATCH"})", scale),
                            exchange(R"({"method":"PATCH"})", token)});
  std::vector<std::string> told;
  const auto client = Client::create(config_for(server))
                          .value()
                          ->with_hooks({.written = [&](const auto& resource, const k8s::Dynamic& object) {
                            told.push_back(resource.resource + " " + object.key().to_string() + " " +
                                           std::string(object.resource_version()));
                          }});
  const k8s::GroupVersionResource deployments{"apps", "v1", "deployments"};
  const json::Value patch = json::Object{{"spec", json::Object{{"replicas", 2}}}};
  ASSERT_TRUE(client->patch(deployments, {"a", "w"}, PatchType::merge, patch, "scale"));
  ASSERT_TRUE(client->patch(deployments, {"a", "w"}, PatchType::merge, patch, "scale", {.dry_run = true}));
  ASSERT_TRUE(client->patch(deployments, {"a", "w"}, PatchType::merge, patch, "token"));
  EXPECT_EQ(server.faults(), "");
  EXPECT_EQ(told, std::vector<std::string>{"deployments a/w 8"});
}

TEST(Client, GivesUpAfterSoManyRetries) {
  json::Array exchanges;
  for (int i = 0; i < 4; ++i)
    exchanges.push_back(exchange("{}", R"({"status":503,"headers":{"Retry-After":"1"}})"));
  const ScriptedApi server(exchanges);
  PassingClock clock;
  const auto client = Client::create(config_for(server), {.max_retries = 3, .clock = &clock});
  ASSERT_TRUE(client) << client.error().message;
  const auto result = (*client)->get({"", "v1", "pods"}, {"a", "b"});
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is(k8s::reason::service_unavailable));
  EXPECT_EQ(server.faults(), "");
}

TEST(Client, StopsWaitingWhenItIsAskedTo) {
  const ScriptedApi server({exchange("{}", R"({"status":503,"headers":{"Retry-After":"20"}})")});
  FakeClock clock;
  const auto client = Client::create(config_for(server), {.clock = &clock});
  ASSERT_TRUE(client) << client.error().message;
  std::stop_source stop;
  const std::jthread stopper([&] {
    clock.wait_for_waiters(1);
    stop.request_stop();
  });
  const auto result = (*client)->get({"", "v1", "pods"}, {"a", "b"}, {}, {.stop = stop.get_token()});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::cancelled);
  EXPECT_FALSE(result.error().is_answer());
}

TEST(Client, PassesOnWhatTheServerWarnsOf) {
  const ScriptedApi server({exchange(
      "{}",
      R"({"status":200,"headers":{"Warning":"299 - \"unknown field \\\"spec.x\\\"\""},"body":{"apiVersion":"v1","kind":"Pod"}})")});
  std::vector<std::string> warnings;
  const auto client = Client::create(
      config_for(server), {.on_warning = [&](std::string_view text) { warnings.emplace_back(text); }});
  ASSERT_TRUE(client) << client.error().message;
  ASSERT_TRUE((*client)->get({"", "v1", "pods"}, {"a", "b"}));
  EXPECT_EQ(warnings, (std::vector<std::string>{"unknown field \"spec.x\""}));
}

TEST(Client, ActsAsSomebodyElse) {
  const ScriptedApi server({exchange(
      R"({"headers":{"Impersonate-User":"jane","Impersonate-Uid":"42","Impersonate-Group":"a, b","Impersonate-Extra-scopes%2Fx":"y","Authorization":"Basic dTpw"}})",
      R"({"status":200,"body":{"apiVersion":"v1","kind":"Pod"}})")});
  ClientConfig config = config_for(server);
  config.username = "u";
  config.password = "p";
  config.impersonate = {.user = "jane", .uid = "42", .groups = {"a", "b"}, .extra = {{"scopes/x", {"y"}}}};
  const auto client = Client::create(config);
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_TRUE((*client)->get({"", "v1", "pods"}, {"a", "b"}));
  EXPECT_EQ(server.faults(), "");
}

TEST(Client, KeepsThePathOfTheServersUrl) {
  const ScriptedApi server({exchange(R"({"target":"/k8s/clusters/c/api/v1/namespaces/a/pods/b"})",
                                     R"({"status":200,"body":{"apiVersion":"v1","kind":"Pod"}})")});
  ClientConfig config = config_for(server);
  config.server += "/k8s/clusters/c/";
  const auto client = Client::create(config);
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_TRUE((*client)->get({"", "v1", "pods"}, {"a", "b"}));
  EXPECT_EQ(server.faults(), "");
  config.server = "ftp://a";
  EXPECT_FALSE((*Client::create(config))->get({"", "v1", "pods"}, {"a", "b"}));
  config.server = "http://a b";
  const auto broken = Client::create(config);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("the test's cluster: server"), std::string::npos)
      << broken.error().message;
}

TEST(Conflicts, AreWrittenAgainSoManyTimes) {
  PassingClock clock;
  int calls = 0;
  const auto conflict = [&]() -> ApiResult<k8s::Dynamic> {
    ++calls;
    return std::unexpected(ApiError("writing", k8s::Status::failure(k8s::reason::conflict, "modified")));
  };
  EXPECT_TRUE(retry_on_conflict(clock, conflict).error().is_conflict());
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(clock.waits, (std::vector<std::int64_t>{10, 10, 10, 10}));  // and less than a tenth more
  clock.waits.clear();
  EXPECT_FALSE(retry_on_conflict(clock, conflict, conflict_backoff));
  ASSERT_EQ(clock.waits.size(), 3U);
  for (const auto& [wait, least] : {std::pair{clock.waits[1], 50}, {clock.waits[2], 250}}) {
    EXPECT_GE(wait, least);
    EXPECT_LE(wait, least + least / 10);
  }

  calls = 0;
  const auto at_last = [&]() -> ApiResult<k8s::Dynamic> {
    if (++calls < 3) return conflict();
    return k8s::Dynamic();
  };
  calls = 0;
  EXPECT_TRUE(retry_on_conflict(clock, at_last));
  calls = 0;
  const auto other = [&]() -> ApiResult<k8s::Dynamic> {
    ++calls;
    return std::unexpected(ApiError("writing", k8s::Status::failure(k8s::reason::already_exists, "there")));
  };
  EXPECT_FALSE(retry_on_conflict(clock, other));
  EXPECT_EQ(calls, 1);
}

class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"widgets.example.com", "v1", "Widget", "widgets"};
  using Dynamic::Dynamic;
  std::string_view color() const { return text("spec.color"); }
};

TEST(Api, IsTyped) {
  const std::string widget =
      R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},"spec":{"color":"red"}})";
  const std::string ok = R"({"status":200,"body":)" + widget + "}";
  const ScriptedApi server(
      {exchange(R"({"method":"GET","target":"/apis/widgets.example.com/v1/namespaces/n/widgets/w"})", ok),
       exchange(R"({"method":"POST","target":"/apis/widgets.example.com/v1/namespaces/n/widgets"})", ok),
       exchange(R"({"method":"PUT","target":"/apis/widgets.example.com/v1/namespaces/n/widgets/w/status"})",
                ok),
       exchange(
           R"({"method":"PATCH","target":"/apis/widgets.example.com/v1/namespaces/n/widgets/w/status?fieldManager=m"})",
           ok),
       exchange(
           R"({"method":"GET","target":"/apis/widgets.example.com/v1/namespaces/n/widgets?limit=500"})",
           R"({"status":200,"body":{"apiVersion":"widgets.example.com/v1","kind":"WidgetList","metadata":{"resourceVersion":"7"},"items":[)" +
               widget + "]}}"),
       exchange(R"({"method":"DELETE"})", R"({"status":200,"body":{"apiVersion":"v1","kind":"Status"}})"),
       exchange("{}", R"({"status":200,"body":{"apiVersion":"v1","kind":"Pod"}})")});
  Api<Widget> api(*Client::create(config_for(server)), "n");
  const auto got = api.get("w");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->color(), "red");
  EXPECT_TRUE(api.create(k8s::make<Widget>("w")));
  EXPECT_TRUE(api.replace_status(*got));
  EXPECT_TRUE(api.apply_status(k8s::make<Widget>("w"), {.field_manager = "m"}));
  const auto list = api.list();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->items.at(0).color(), "red");
  EXPECT_EQ(list->resource_version, "7");
  EXPECT_TRUE(api.remove("w"));
  const auto other = api.get("w");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("expected widgets.example.com/v1, Kind=Widget"), std::string::npos);
  EXPECT_EQ(server.faults(), "");
}

}  // namespace
}  // namespace fairway::kube
