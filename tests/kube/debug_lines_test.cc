// SPDX-License-Identifier: Apache-2.0

// Lines of the log at the level debug: a reconcile with its reason, a request with its answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "kube/client/client.h"
#include "kube/controller_kinds.h"
#include "kube/memory_api.h"
#include "kube/scripted_api.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using fairway::testing::eventually;
using testing::MemoryApi;
using testing::RunningManager;
using testing::ScriptedApi;
using testing::Widget;
using testing::widget;

/// Returns what `act` writes to the log at a level, without the times in front.
template <class Act>
std::string log_at(log::Level level, Act act) {
  log::configure(level, log::Format::text);
  ::testing::internal::CaptureStderr();
  act();
  const std::string written = ::testing::internal::GetCapturedStderr();
  log::configure(log::Level::info, log::Format::text);
  std::string lines;
  for (const std::string_view line : split(written, '\n')) {
    const std::size_t space = line.find(' ');
    if (space != line.npos) lines += std::string(line.substr(space + 1)) + "\n";
  }
  return lines;
}

/// Runs a controller that is called for each reason.
void run_through_all_reasons() {
  MemoryApi server;
  Api<Widget> widgets(server.client(), "a");
  ASSERT_TRUE(widgets.create(widget("old")));
  const Trigger trigger;
  std::atomic<int> calls = 0;
  Manager manager(server.client());
  manager.controller<Widget>("widgets")
      .owns<k8s::ConfigMap>()
      .on(trigger)
      .retries({.first = std::chrono::milliseconds(1)})
      .reconcile(
          [&](const Context&, const Key& key, const std::shared_ptr<const Widget>&) -> Result<Requeue> {
            if (key.name == "late") return done();
            switch (++calls) {
              case 1:
                return fail(ErrorCode::unavailable, "a secret in an error");
              case 2:
                return requeue_after(std::chrono::milliseconds(1));
              case 3:
                return requeue_with_backoff();
              default:
                return done();
            }
          });
  RunningManager running(manager);
  ASSERT_TRUE(eventually([&] { return calls == 4; }));
  ASSERT_TRUE(widgets.merge_patch("old", {{"spec", {{"color", "green"}}}}));
  ASSERT_TRUE(eventually([&] { return calls == 5; }));
  auto owned = k8s::make<k8s::ConfigMap>("owned", "a");
  ASSERT_TRUE(owned.set_owner(*widgets.get("old")));
  ASSERT_TRUE(Api<k8s::ConfigMap>(server.client(), "a").create(owned));
  ASSERT_TRUE(eventually([&] { return calls == 6; }));
  trigger.fire({"a", "old"});
  ASSERT_TRUE(eventually([&] { return calls == 7; }));
  ASSERT_TRUE(widgets.remove("old"));
  ASSERT_TRUE(eventually([&] { return calls == 8; }));
  EXPECT_TRUE(running.stop());
}

TEST(DebugLines, HaveTheReasonOfEachReconcile) {
  const std::string lines = log_at(log::Level::debug, run_through_all_reasons);
  std::string reconciles;
  for (const std::string_view line : split(lines, '\n'))
    if (line.starts_with("debug reconciling ")) reconciles += std::string(line) + "\n";
  std::string wanted;
  for (const char* reason :
       {"Widget a/old was there at the start", "retry after an error",
        "the reconcile asked for it, after 0.001 s", "the reconcile asked for it, with backoff",
        "Widget a/old has changed", "ConfigMap a/owned was created", "a trigger named it",
        "Widget a/old was deleted"})
    wanted += "debug reconciling controller=widgets object=a/old reason=\"" + std::string(reason) + "\"\n";
  EXPECT_EQ(reconciles, wanted);
}

TEST(DebugLines, AreNotWrittenAtAnotherLevel) {
  const std::string lines = log_at(log::Level::info, run_through_all_reasons);
  EXPECT_EQ(lines.find("debug"), lines.npos) << lines;
}

/// A clock that goes on by 20 ms whenever it is read.
class TickingClock final : public Clock {
 public:
  WallTime now() const override { return {}; }
  SteadyTime steady() const override { return now_ += std::chrono::milliseconds(20); }
  bool wait_until(SteadyTime until, std::stop_token) override {
    now_ = std::max(now_, until);
    return true;
  }

 private:
  mutable SteadyTime now_{};
};

TEST(DebugLines, HaveEachRequestWithoutWhatMayBeSecret) {
  const auto exchange = [](std::string_view reply) {
    return json::Value{{"request", json::Object()}, {"reply", json::parse(reply).value()}};
  };
  const ScriptedApi server({exchange(R"({"status":503,"headers":{"Retry-After":"1"}})"),
                            exchange(R"({"status":200,"body":{"kind":"Status","token":"hidden-answer"}})"),
                            exchange(R"({"status":200,"body":{}})")});
  const std::string lines = log_at(log::Level::debug, [&] {
    ClientConfig config;
    config.server = server.url();
    config.token = "hidden-token";
    TickingClock clock;
    const auto client = Client::create(config, {.clock = &clock}).value();
    std::string body;
    EXPECT_TRUE(client->send({.method = "POST",
                              .path = "/api/v1/namespaces/a/secrets",
                              .query = "fieldManager=hidden-query",
                              .content_type = "application/json",
                              .body = R"({"data":"hidden-body"})"},
                             body));
    EXPECT_TRUE(client->send({.path = "/api/v1/pods", .query = "limit=5&watch=true"}, body));
  });
  EXPECT_EQ(server.faults(), "");
  std::string without_times;
  for (const std::string_view line : split(lines, '\n')) {
    const std::size_t time = line.find(" milliseconds=");
    if (time == line.npos) continue;
    EXPECT_NE(line.substr(time), " milliseconds=0");
    without_times += std::string(line.substr(0, time)) + "\n";
  }
  EXPECT_EQ(without_times,
            "debug request to the API server verb=POST path=/api/v1/namespaces/a/secrets code=503\n"
            "debug request to the API server verb=POST path=/api/v1/namespaces/a/secrets code=200\n"
            "debug request to the API server verb=WATCH path=/api/v1/pods code=200\n");
  EXPECT_EQ(lines.find("hidden"), lines.npos) << lines;
}

TEST(DebugLines, SayWhyARequestHasNoAnswer) {
  const std::string lines = log_at(log::Level::debug, [] {
    ClientConfig config;
    config.server = "http://127.0.0.1:1";
    std::string body;
    EXPECT_FALSE(Client::create(config, {}).value()->send({.path = "/api"}, body));
  });
  EXPECT_TRUE(lines.starts_with("debug request to the API server failed verb=GET path=/api error=")) << lines;
}

}  // namespace
}  // namespace fairway::kube
