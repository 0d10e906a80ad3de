// SPDX-License-Identifier: Apache-2.0

// Shares of the places for requests that wait for others.
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "apiserver/internal/flow/waits.h"

namespace fairway::apiserver::flow {
namespace {

using namespace std::chrono_literals;

struct Asked {
  std::string user, namespace_name, party;
  Privilege privilege = Privilege::none;
};

class Places : public ::testing::Test {
 protected:
  ~Places() override { let_go.count_down(); }
  /// Enters on a thread of its own, as every request does, and holds the place until the end. Returns an
  /// empty text, or the message of the refusal.
  std::string enter(const Asked& asked) {
    std::promise<std::string> answered;
    auto answer = answered.get_future();
    threads.emplace_back([this, asked, answered = std::move(answered)]() mutable {
      const Caller caller{
          .user = asked.user, .namespace_name = asked.namespace_name, .privilege = asked.privilege};
      const CallerScope scope(caller);
      const auto place = waits.enter(asked.party);
      if (place) {
        answered.set_value("");
        let_go.wait();
        return;
      }
      EXPECT_EQ(place.error().code(), 429);
      const auto retry = place.error().retry_after();
      EXPECT_TRUE(retry && *retry >= 1s && *retry <= 4s);
      answered.set_value(std::string(place.error().message()));
    });
    return answer.get();
  }

  Waits waits{
      {.total = 8, .reserve = 2, .per_user = 2, .per_namespace = 3, .per_party = 4, .queue_timeout = 0ms}};
  std::latch let_go{1};
  std::vector<std::jthread> threads;
};

TEST_F(Places, OfAUserAreBounded) {
  EXPECT_EQ(enter({"eve", "a", "kubelet"}), "");
  EXPECT_EQ(enter({"eve", "b", "webhook"}), "");
  EXPECT_EQ(enter({"eve", "c", "other"}),
            "too many requests wait for other or for others: the share of user \"eve\" is used up, please "
            "try again "
            "later");
  EXPECT_EQ(enter({"ann", "a", "kubelet"}), "");
  EXPECT_EQ(waits.counts().refused[1], 1U);
}

TEST_F(Places, OfANamespaceAreBoundedWhoeverAsks) {
  for (const char* user : {"a", "b", "c"})
    EXPECT_EQ(enter({user, "shop", "kubelet " + std::string(user)}), "");
  EXPECT_TRUE(enter({"d", "shop", "another"}).contains("the share of namespace \"shop\""));
  EXPECT_EQ(enter({"d", "", "another"}), "");
}

TEST_F(Places, ForOnePartyAreBounded) {
  for (const char* user : {"a", "b", "c", "d"}) EXPECT_EQ(enter({user, user, "the webhook w"}), "");
  EXPECT_TRUE(enter({"e", "e", "the webhook w"}).contains("its own share"));
  EXPECT_EQ(enter({"e", "e", "the webhook v"}), "");
}

TEST_F(Places, OfTheReserveAreForThePrivilegedAlone) {
  for (int i = 0; i < 6; ++i) {
    const std::string name = std::to_string(i);
    EXPECT_EQ(enter({name, name, "webhook " + name}), "");
  }
  EXPECT_TRUE(enter({"late", "late", "webhook"}).contains("the room for all"));
  EXPECT_EQ(enter({"admin", "late", "webhook", Privilege::all}), "");
  EXPECT_EQ(enter({"admin", "late", "webhook", Privilege::all}), "");
  EXPECT_TRUE(enter({"admin", "late", "webhook", Privilege::all}).contains("the room for all"));
  EXPECT_EQ(waits.counts().waiting, 8U);
  EXPECT_EQ(waits.counts().refused[0], 2U);
}

TEST_F(Places, OfTheReserveAreForLeasesWithinShares) {
  for (int i = 0; i < 6; ++i) {
    const std::string name = std::to_string(i);
    EXPECT_EQ(enter({name, name, "webhook " + name}), "");
  }
  // Half of the reserve is for Leases, of whomever.
  EXPECT_EQ(enter({"leader", "a", "webhook", Privilege::lease}), "");
  EXPECT_TRUE(enter({"eve", "b", "webhook", Privilege::lease}).contains("the room for all"));
  EXPECT_EQ(enter({"admin", "b", "webhook", Privilege::all}), "");
}

TEST_F(Places, OfOneUserAreBoundedForLeasesToo) {
  EXPECT_EQ(enter({"eve", "a", "webhook", Privilege::lease}), "");
  EXPECT_EQ(enter({"eve", "b", "webhook", Privilege::lease}), "");
  EXPECT_TRUE(enter({"eve", "c", "webhook", Privilege::lease}).contains("the share of user \"eve\""));
}

TEST_F(Places, AreNeededOnceByAThreadAndNotByTheServerItself) {
  EXPECT_TRUE(waits.enter("anybody").has_value());
  EXPECT_EQ(waits.counts().waiting, 0U);
  const Caller caller{.user = "eve", .namespace_name = "a"};
  const CallerScope scope(caller);
  {
    const auto outer = waits.enter("admission"), inner = waits.enter("conversion");
    EXPECT_TRUE(outer && inner);
    EXPECT_EQ(waits.counts().waiting, 1U);
  }
  EXPECT_EQ(waits.counts().waiting, 0U);
  const auto again = waits.enter("admission");
  EXPECT_EQ(waits.counts().waiting, 1U);
}

TEST(QueueTimeout, LetsARequestWaitForAPlace) {
  Waits waits(
      {.total = 2, .reserve = 0, .per_user = 1, .per_namespace = 2, .per_party = 2, .queue_timeout = 1h});
  const Caller caller{.user = "eve", .namespace_name = "a"};
  std::promise<void> has_place;
  std::promise<void> let_go;
  auto first = std::async(std::launch::async, [&] {
    const CallerScope scope(caller);
    const auto place = waits.enter("kubelet");
    has_place.set_value();
    let_go.get_future().wait();
    return place.has_value();
  });
  has_place.get_future().wait();
  auto second = std::async(std::launch::async, [&] {
    const CallerScope scope(caller);
    return waits.enter("kubelet").has_value();
  });
  // A third one finds that this user has one who waits: it is refused at once.
  while (!std::async(std::launch::async, [&] {
            std::stop_source stop;
            stop.request_stop();
            Caller third = caller;
            third.cancelled = stop.get_token();
            const CallerScope scope(third);
            return !waits.enter("kubelet").has_value();
          }).get()) {
  }
  let_go.set_value();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
  EXPECT_EQ(waits.counts().waiting, 0U);
}

TEST(WaitLimits, AreSharesOfTheWhole) {
  const WaitLimits usual = WaitLimits::of(64), given;
  EXPECT_EQ(std::tuple(usual.total, usual.reserve, usual.per_user, usual.per_namespace, usual.per_party),
            std::tuple(given.total, given.reserve, given.per_user, given.per_namespace, given.per_party));
  const WaitLimits one = WaitLimits::of(1);
  EXPECT_EQ(std::tuple(one.total, one.reserve, one.per_user), std::tuple(1, 0, 1));
}

}  // namespace
}  // namespace fairway::apiserver::flow
