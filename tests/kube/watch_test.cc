// SPDX-License-Identifier: Apache-2.0

// tests/kube/data/watch_streams.json: what a server sends, the events in it, and the error at its end,
// however it is cut into pieces.
#include "kube/client/watch.h"

#include <gtest/gtest.h>

#include "kube/client/client.h"
#include "kube/data.h"
#include "kube/scripted_api.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using testing::ScriptedApi;

std::string describe(const WatchEvent& event) {
  return std::string(to_string(event.type)) + " " + std::string(event.object.name()) + " " +
         std::string(event.object.resource_version()) +
         (event.ends_initial_events() ? " end of the beginning" : "");
}

std::string describe(const ApiError& error) {
  return std::string(to_string(error.code)) + " " + std::string(error.status.reason()) + " " +
         std::to_string(error.status.code()) + ": " + error.message;
}

std::string as_lines(const json::Value& list) {
  std::string lines;
  for (const json::Value& line : list.as_array()) lines += std::string(line.as_string()) + "\n";
  return lines;
}

TEST(WatchReaderTest, ReadsStreamsHoweverTheyAreCut) {
  for (const json::Value& one : testing::read_cases("watch_streams.json")) {
    const k8s::View view(one.as_object());
    const std::string_view stream = view.text("stream");
    const auto limit = static_cast<std::size_t>(view.integer("limit", 1 << 20));
    for (std::size_t step = 1; step <= stream.size() + 1; step += step < 20 ? 1 : 37) {
      std::string events;
      WatchReader reader(
          [&](const WatchEvent& event) -> Result<void> {
            events += describe(event) + "\n";
            return {};
          },
          limit);
      ApiResult<void> result;
      for (std::size_t at = 0; result && at < stream.size(); at += step) {
        result = reader.feed(stream.substr(at, step));
      }
      if (result) result = reader.finish();
      EXPECT_EQ(events, as_lines(one.at("events"))) << view.text("case") << ", pieces of " << step;
      // A table's error is the beginning of what is said.
      const std::string error = result ? "" : describe(result.error());
      const std::string_view expected = view.text("error");
      EXPECT_TRUE(expected.empty() ? error.empty() : error.starts_with(expected))
          << view.text("case") << ", pieces of " << step << ": " << error;
    }
  }
}

struct Outcome {
  std::string events;
  ApiResult<void> result;
};

/// Watches a server that answers like this, and checks the request.
Outcome watch(const std::string& target, int status, const std::string& body, const WatchOptions& options) {
  json::Object exchange{{"request", {{"method", "GET"}, {"target", target}}},
                        {"reply", {{"status", status}, {"body", body}}}};
  ScriptedApi server(json::Array{std::move(exchange)});
  ClientConfig config;
  config.server = server.url();
  auto client = Client::create(config, {.max_retries = 0});
  EXPECT_TRUE(client);
  Outcome outcome;
  outcome.result = (*client)->watch(
      {"", "v1", "configmaps"}, "a", options,
      [&](const WatchEvent& event) -> Result<void> {
        outcome.events += describe(event) + "\n";
        return {};
      },
      Limits::within((*client)->clock(), 20s));
  EXPECT_EQ(server.faults(), "");
  return outcome;
}

constexpr const char* one_event =
    R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1"}}})";

TEST(ClientWatchTest, AsksForWhatIsWanted) {
  WatchOptions options{.labels = k8s::LabelSelector::parse("app=x").value(),
                       .fields = k8s::FieldSelector::parse("metadata.name=a").value(),
                       .resource_version = "7",
                       .timeout = 300s};
  auto outcome = watch(
      "/api/v1/namespaces/a/configmaps?watch=true&labelSelector=app%3Dx&fieldSelector=metadata.name%3Da"
      "&resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=300",
      200, one_event, options);
  EXPECT_TRUE(outcome.result);
  EXPECT_EQ(outcome.events, "ADDED a 1\n");
  outcome = watch(
      "/api/v1/namespaces/a/configmaps?watch=true&sendInitialEvents=true"
      "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
      200, "", {.bookmarks = false, .initial_events = true});
  EXPECT_TRUE(outcome.result);
}

TEST(ClientWatchTest, TellsWhyAWatchHasEnded) {
  const std::string expired =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","message":"too old","code":410})";
  const std::string target = "/api/v1/namespaces/a/configmaps?watch=true&allowWatchBookmarks=true";
  auto outcome = watch(target, 410, expired, {});
  ASSERT_FALSE(outcome.result);
  EXPECT_TRUE(outcome.result.error().is_expired());
  outcome = watch(target, 200, one_event + std::string(R"({"type":"ERROR","object":)") + expired + "}", {});
  EXPECT_EQ(outcome.events, "ADDED a 1\n");
  ASSERT_FALSE(outcome.result);
  EXPECT_TRUE(outcome.result.error().is_expired());
  EXPECT_EQ(outcome.result.error().message, "watching v1, Resource=configmaps a: the watch ended: too old");
  outcome = watch(target, 200, "<html>", {});
  ASSERT_FALSE(outcome.result);
  EXPECT_FALSE(outcome.result.error().is_answer());
  EXPECT_EQ(outcome.result.error().code, ErrorCode::invalid);
  outcome = watch(target, 200, std::string(one_event).substr(0, 30), {});
  ASSERT_FALSE(outcome.result);
  EXPECT_EQ(outcome.result.error().code, ErrorCode::unavailable);
}

TEST(ClientWatchTest, ReadsAListWhileItComes) {
  json::Array exchanges;
  exchanges.push_back(json::Object{
      {"request", {{"target", "/api/v1/configmaps?limit=2"}, {"headers", {{"Accept-Encoding", ""}}}}},
      {"reply",
       {{"status", 200},
        {"body",
         R"({"items":[{"metadata":{"name":"a"}},{"kind":"Other","apiVersion":"v9","metadata":{"name":"b"}}],)"
         R"("metadata":{"resourceVersion":"7","continue":"next"},"kind":"ConfigMapList","apiVersion":"v1"})"}}}});
  ScriptedApi server(std::move(exchanges));
  ClientConfig config;
  config.server = server.url();
  auto client = Client::create(config);
  ASSERT_TRUE(client);
  std::string seen;
  const auto page = (*client)->list_each(
      {"", "v1", "configmaps"}, "", {.limit = 2}, [&](const k8s::Dynamic& object) -> Result<void> {
        seen += object.group_version_kind().to_string() + " " + std::string(object.name()) + "\n";
        return {};
      });
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(server.faults(), "");
  // Those that do not say what they are wait until the list does.
  EXPECT_EQ(seen, "v9, Kind=Other b\nv1, Kind=ConfigMap a\n");
  EXPECT_EQ(page->continue_token, "next");
  EXPECT_TRUE(page->items.empty());
}

}  // namespace
}  // namespace fairway::kube
