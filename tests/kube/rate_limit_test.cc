// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "kube/client/client.h"
#include "kube/controller_kinds.h"
#include "kube/election/leader_elector.h"
#include "kube/memory_api.h"
#include "kube/scripted_api.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using testing::MemoryApi;

const k8s::GroupVersionResource widgets = testing::Widget::resource.group_version_resource();

class RateLimitTest : public ::testing::Test {
 protected:
  RateLimitTest() {
    server_.intercept([this](const http::Request&) { return ++requests_, answer_.exchange(0); });
  }
  std::shared_ptr<Client> limited(double qps, int burst) {
    ClientConfig config;
    config.server = "http://" + server_.address();
    return Client::create(config,
                          {.rate_limit = RateLimit{qps, burst}, .clock = &clock_, .registry = &registry_})
        .value();
  }
  ApiResult<ObjectList> list(Client& client, const Limits& limits = {}) {
    return client.list(widgets, "a", {}, limits);
  }
  /// Starts a list that has to wait for a token.
  std::future<ApiResult<ObjectList>> list_later(Client& client, const Limits& limits = {}) {
    auto later = std::async(std::launch::async, [&client, limits, this] { return list(client, limits); });
    clock_.wait_for_waiters(1);
    return later;
  }

  std::atomic<int> requests_ = 0, answer_ = 0;
  metrics::Registry registry_;
  FakeClock clock_;
  MemoryApi server_;
};

TEST_F(RateLimitTest, DelaysRequestsBeyondTheBurst) {
  const auto client = limited(0.5, 2);
  EXPECT_TRUE(list(*client));
  EXPECT_TRUE(list(*client));
  auto third = list_later(*client);
  EXPECT_EQ(requests_, 2);
  clock_.advance(1s);
  EXPECT_EQ(requests_, 2) << "a token comes every two seconds";
  clock_.wait_for_waiters(1);
  clock_.advance(1s);
  EXPECT_TRUE(third.get());
  EXPECT_EQ(requests_, 3);
  clock_.advance(60s);
  EXPECT_TRUE(list(*client));
  EXPECT_TRUE(list(*client));
  const std::string text = registry_.text();
  const std::string labels = "{host=\"" + server_.address() + "\",verb=\"GET\"";
  const std::string name = "rest_client_rate_limiter_duration_seconds";
  EXPECT_NE(text.find(name + "_count" + labels + "} 5"), std::string::npos) << text;
  EXPECT_NE(text.find(name + "_sum" + labels + "} 2"), std::string::npos) << text;
}

TEST_F(RateLimitTest, FailsAtOnceWhenTheTokenWouldComeTooLate) {
  const auto client = limited(0.1, 1);
  EXPECT_TRUE(list(*client));
  const auto late = list(*client, Limits::within(clock_, 5s));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded);
  EXPECT_NE(late.error().message.find("the client's rate limit would delay the request for 10s"),
            std::string::npos)
      << late.error().message;
  EXPECT_EQ(requests_, 1);
  // It took no token.
  clock_.advance(10s);
  EXPECT_TRUE(list(*client, Limits::within(clock_, 5s)));
}

TEST_F(RateLimitTest, GivesTheTokenBackWhenStopped) {
  const auto client = limited(0.1, 1);
  EXPECT_TRUE(list(*client));
  std::stop_source stop;
  auto waiting = list_later(*client, {.stop = stop.get_token()});
  stop.request_stop();
  const auto stopped = waiting.get();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled) << stopped.error().message;
  EXPECT_EQ(requests_, 1);
  clock_.advance(10s);
  EXPECT_TRUE(list(*client, Limits::within(clock_, 5s)));
}

TEST_F(RateLimitTest, LetsNobodyGoTogetherWithOneWhoWaits) {
  const auto client = limited(0.5, 1);
  EXPECT_TRUE(list(*client));
  std::stop_source first_stop, second_stop;
  auto first = list_later(*client, {.stop = first_stop.get_token()});  // at 2 s
  auto second = list_later(*client, {.stop = second_stop.get_token()});
  clock_.wait_for_waiters(2);  // at 4 s
  first_stop.request_stop();
  EXPECT_FALSE(first.get());
  const auto third = list(*client, Limits::within(clock_, 1s));
  ASSERT_FALSE(third);
  EXPECT_NE(third.error().message.find("would delay the request for 6s"), std::string::npos)
      << third.error().message;
  // Nobody waits for a later one: its token is free.
  second_stop.request_stop();
  EXPECT_FALSE(second.get());
  const auto fourth = list(*client, Limits::within(clock_, 1s));
  ASSERT_FALSE(fourth);
  EXPECT_NE(fourth.error().message.find("would delay the request for 4s"), std::string::npos)
      << fourth.error().message;
}

TEST_F(RateLimitTest, CountsAWatchOnce) {
  const auto client = limited(0.1, 2);
  answer_ = 410;
  EXPECT_FALSE(client->watch(
      widgets, "a", {}, [](const WatchEvent&) { return Result<void>(); }, Limits::within(clock_, 60s)));
  EXPECT_TRUE(list(*client));
  EXPECT_FALSE(list(*client, Limits::within(clock_, 5s))) << "two tokens are spent";
}

TEST_F(RateLimitTest, CountsRetries) {
  testing::ScriptedApi server(json::Array{json::Object{
      {"request", json::Object{{"method", "GET"}}},
      {"reply", json::Object{{"status", 429}, {"headers", json::Object{{"Retry-After", "0"}}}}}}});
  ClientConfig config;
  config.server = server.url();
  const auto client = Client::create(config, {.rate_limit = RateLimit{0.1, 1}, .clock = &clock_}).value();
  const auto refused = list(*client, Limits::within(clock_, 5s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::deadline_exceeded) << refused.error().message;
  EXPECT_EQ(server.faults(), "");
}

TEST_F(RateLimitTest, IsSharedByClientsWithHooksAndNotByThoseWithout) {
  const auto client = limited(0.1, 1);
  const auto hooked = client->with_hooks({});
  const auto free = client->without_rate_limit();
  EXPECT_TRUE(list(*hooked));
  EXPECT_FALSE(list(*client, Limits::within(clock_, 5s)));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(list(*free));
  EXPECT_TRUE(list(*free->with_hooks({})));
}

TEST_F(RateLimitTest, DoesNotDelayTheRenewalOfALease) {
  const auto client = limited(0.1, 1);
  EXPECT_TRUE(list(*client));
  const auto elector = LeaderElector::create(client, {.namespace_name = "a", .name = "l"});
  ASSERT_TRUE(elector) << elector.error().message;
  std::stop_source stop;
  bool led = false;
  const auto ended = (*elector)->run(
      [&](const std::stop_token&) {
        led = true;
        stop.request_stop();
      },
      stop.get_token());
  EXPECT_TRUE(ended) << ended.error().message;
  EXPECT_TRUE(led);
}

TEST_F(RateLimitTest, MustBeALimit) {
  ClientConfig config;
  config.server = "http://" + server_.address();
  for (const RateLimit limit : {RateLimit{0, 1}, RateLimit{-1, 1}, RateLimit{1, 0}}) {
    const auto client = Client::create(config, {.rate_limit = limit});
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code, ErrorCode::invalid);
  }
}

}  // namespace
}  // namespace fairway::kube
