// SPDX-License-Identifier: Apache-2.0

#include "kube/apply/apply_step.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "k8s/core.h"
#include "k8s/kinds/workloads.h"
#include "kube/apply/run_steps.h"
#include "kube/controller_kinds.h"
#include "kube/fake_discovery.h"
#include "kube/memory_api.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using testing::MemoryApi;

class ApplyStepTest : public ::testing::Test {
 protected:
  template <class T>
  std::function<Result<void>(const Limits&)> apply(T document) {
    return apply_and_wait(client_, T::resource.group_version_resource(), std::move(document), options_);
  }
  static k8s::ConfigMap config_map(const std::string& name) { return k8s::make<k8s::ConfigMap>(name, "a"); }
  static k8s::Deployment deployment(const std::string& name) {
    auto result = k8s::make<k8s::Deployment>(name, "a");
    result.set_replicas(1);
    return result;
  }

  MemoryApi server_;
  FakeClock clock_;
  std::shared_ptr<Client> client_ = server_.client(&clock_);
  ApplyStepOptions options_{.apply = {.field_manager = "test"}};
};

TEST_F(ApplyStepTest, AppliesAndWaitsUntilReady) {
  // The controllers of this cluster.
  server_.complete([](k8s::Dynamic& object) {
    if (!object.is(k8s::Deployment::resource)) return;
    object.set("status", json::Object{{"observedGeneration", object.generation() + 1},
                                      {"replicas", 1},
                                      {"updatedReplicas", 1},
                                      {"availableReplicas", 1}});
  });
  const std::vector<Step> steps{{"settings", {}, apply(config_map("c"))},
                                {"program", {"settings"}, apply(deployment("d"))}};
  const auto report = run_steps(steps, {}, clock_, {});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->result()) << report->result().error().message;
  EXPECT_TRUE(Api<k8s::Deployment>(client_, "a").get("d"));
}

TEST_F(ApplyStepTest, SaysWhatItWaitedForInVain) {
  auto running = std::async(std::launch::async, [&] { return apply(deployment("d"))({}); });
  clock_.wait_for_waiters(1);
  clock_.advance(11min);
  const auto late = running.get();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded);
  EXPECT_NE(late.error().message.find("waiting for apps/v1, Resource=deployments a/d"), std::string::npos)
      << late.error().message;
}

TEST_F(ApplyStepTest, DoesNotWaitWhereItIsNotToWait) {
  options_.until = {};
  EXPECT_TRUE(apply(deployment("d"))({}));
  options_ = {.apply = {.field_manager = "test", .dry_run = true}};
  EXPECT_TRUE(apply(deployment("e"))({}));
}

TEST_F(ApplyStepTest, RetriesWhatMayPass) {
  std::atomic<int> asked = 0;
  server_.intercept([&](const http::Request& request) {
    if (request.method != "PATCH") return 0;
    constexpr int faults[] = {500, 404, 429, 503};
    const int at = asked++;
    return at < 4 ? faults[at] : 0;
  });
  options_.timeout = 10000h;  // the clock is moved as often as it takes
  auto running = std::async(std::launch::async, [&] { return apply(config_map("c"))({}); });
  EXPECT_TRUE(fairway::testing::eventually([&] {
    clock_.advance(10s);
    return asked >= 5;
  }));
  const auto applied = running.get();
  EXPECT_TRUE(applied) << applied.error().message;
}

TEST_F(ApplyStepTest, RetriesAnAttemptThatHangs) {
  std::atomic<int> asked = 0;
  std::promise<void> end;
  server_.intercept([&, ended = end.get_future().share()](const http::Request& request) {
    if (request.method == "PATCH" && asked++ == 0) ended.wait();
    return 0;
  });
  options_.attempt_timeout = 200ms;  // of the machine's time: sockets go by it
  auto running = std::async(std::launch::async, [&] { return apply(config_map("c"))({}); });
  clock_.wait_for_waiters(1);  // the pause before the next attempt
  clock_.advance(2s);
  const auto applied = running.get();
  end.set_value();
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(applied) << applied.error().message;
}

TEST_F(ApplyStepTest, AppliesADocumentOfAKindThatComesMeanwhile) {
  const auto discovery = std::make_shared<testing::FakeDiscovery>();
  server_.respond([discovery](const http::Request& request) { return discovery->answer(request); });
  const DynamicClient objects(client_, std::make_shared<ResourceMapper>(client_), "a");
  options_.timeout = 10000h;  // the clock is moved as often as it takes
  const auto work = apply_and_wait(objects, k8s::make(testing::Widget::resource, "w"), options_);
  auto running = std::async(std::launch::async, [&] { return work({}); });
  clock_.wait_for_waiters(1);
  ASSERT_TRUE(fairway::testing::eventually([&] { return objects.mapper().known() != nullptr; }));
  discovery->serve(testing::Widget::resource);
  EXPECT_TRUE(fairway::testing::eventually([&] {
    clock_.advance(1s);
    return running.wait_for(0s) == std::future_status::ready;
  }));
  const auto applied = running.get();
  EXPECT_TRUE(applied) << applied.error().message;
  EXPECT_TRUE(Api<testing::Widget>(client_, "a").get("w"));
  // What can never fit is not tried again.
  k8s::Dynamic nameless = k8s::make(testing::Widget::resource, "");
  nameless.erase("kind");
  const auto refused = apply_and_wait(objects, nameless, options_)({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
}

TEST_F(ApplyStepTest, GivesUpAfterItsAttempts) {
  std::atomic<int> asked = 0;
  server_.intercept([&](const http::Request&) { return ++asked, 500; });
  options_.attempts = 3;
  options_.timeout = 10000h;  // the clock is moved as often as it takes
  auto running = std::async(std::launch::async, [&] { return apply(config_map("c"))({}); });
  EXPECT_TRUE(fairway::testing::eventually([&] {
    clock_.advance(10s);
    return asked >= 3;
  }));
  EXPECT_FALSE(running.get());
  EXPECT_EQ(asked, 3);
}

TEST_F(ApplyStepTest, DoesNotRetryWhatIsRefused) {
  for (const int code : {400, 403, 409, 422}) {
    std::atomic<int> asked = 0;
    server_.intercept([&](const http::Request&) { return ++asked, code; });
    EXPECT_FALSE(apply(config_map("c"))({})) << code;
    EXPECT_EQ(asked, 1) << code;
  }
}

TEST_F(ApplyStepTest, EndsWhenStopped) {
  std::stop_source stop;
  server_.intercept([&](const http::Request&) { return 500; });
  auto running =
      std::async(std::launch::async, [&] { return apply(config_map("c"))({.stop = stop.get_token()}); });
  clock_.wait_for_waiters(1);
  stop.request_stop();
  const auto stopped = running.get();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled) << stopped.error().message;
}

}  // namespace
}  // namespace fairway::kube
