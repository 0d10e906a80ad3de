// SPDX-License-Identifier: Apache-2.0

// Informers over a list of namespaces: one watch for each, one cache.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "k8s/kinds/node.h"
#include "kube/controller_kinds.h"
#include "kube/informer_account.h"
#include "kube/memory_api.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using fairway::testing::eventually;
using testing::Account;
using testing::ChurningApi;
using testing::client_for;
using testing::MemoryApi;
using testing::short_timings;

std::vector<std::string> keys(const std::vector<std::shared_ptr<const k8s::ConfigMap>>& objects) {
  std::vector<std::string> result;
  for (const auto& object : objects) result.push_back(object->key().to_string());
  return result;
}

class InformerNamespacesTest : public ::testing::Test {
 protected:
  InformerNamespacesTest() {
    for (const char* space : {"a", "b", "c"}) {
      for (const char* name : {"one", "two"}) api_.put(space, name, "x");
    }
  }
  std::size_t requests(std::string_view what) const {
    return static_cast<std::size_t>(std::ranges::count_if(api_.requests(), [&](const std::string& request) {
      return request.find(what) != std::string::npos;
    }));
  }

  ChurningApi api_{1};
};

TEST_F(InformerNamespacesTest, HaveAWatchForEachAndOneCache) {
  Account account;
  Informers informers(client_for(api_));
  auto informer = informers.get<k8s::ConfigMap>({.namespaces = {"b", "a", "b"}});
  informer.add_index("text", [](const k8s::ConfigMap& object) -> std::vector<std::string> {
    return {std::string(object.data().find("text").value_or(""))};
  });
  informer.add_handler(account.handler());
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(60s));
  EXPECT_EQ(keys(informer.list().value()), (std::vector<std::string>{"a/one", "a/two", "b/one", "b/two"}));
  EXPECT_EQ(keys(informer.list("b").value()), (std::vector<std::string>{"b/one", "b/two"}));
  EXPECT_EQ(keys(informer.by_index("text", "x").value()).size(), 4U);
  EXPECT_EQ(informer.find({"b", "one"}).value()->namespace_name(), "b");
  EXPECT_EQ(informer.find({"a", "none"}).value(), nullptr);
  const std::uint64_t changed = api_.put("b", "one", "y");
  EXPECT_TRUE(account.wait_for("b/one", changed));
  api_.put("c", "three");
  api_.remove("a", "two");
  EXPECT_TRUE(account.wait([](const auto& state) { return !state.contains("a/two"); }));
  EXPECT_EQ(account.state().size(), 3U);
  EXPECT_EQ(account.faults(), "");
  EXPECT_EQ(requests("/namespaces/a/configmaps?limit"), 1U);
  EXPECT_EQ(requests("/namespaces/b/configmaps?limit"), 1U);
  EXPECT_EQ(requests("/namespaces/c/"), 0U);
  // The same namespaces in another order are the same informer.
  EXPECT_EQ(informers.get<k8s::ConfigMap>({.namespaces = {"a", "b"}}).size(), 3U);
  EXPECT_EQ(requests("?limit"), 2U);
}

TEST_F(InformerNamespacesTest, ReadsOfOtherNamespacesAreAnError) {
  Informers informers(client_for(api_));
  const auto informer = informers.get<k8s::ConfigMap>({.namespaces = {"a", "b"}});
  informers.start();
  const auto found = informer.find({"c", "one"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::invalid);
  EXPECT_EQ(found.error().message,
            "reading v1, Resource=configmaps from its informer: it does not watch namespace 'c', only a, b");
  EXPECT_EQ(informer.list("c").error().code, ErrorCode::invalid);
  EXPECT_EQ(informer.find({"", "one"}).error().code, ErrorCode::invalid);
  const auto one = informers.get<k8s::ConfigMap>({.namespaces = {"a"}});
  EXPECT_EQ(one.find({"b", "one"}).error().code, ErrorCode::invalid);
  EXPECT_EQ(one.find({"a", "one"}).value()->key().to_string(), "a/one");
}

TEST_F(InformerNamespacesTest, AnEmptyNameDoesNotMeanAll) {
  Informers informers(client_for(api_));
  EXPECT_THROW(informers.get<k8s::ConfigMap>({.namespaces = {""}}), std::logic_error);
  EXPECT_THROW(informers.get<k8s::ConfigMap>({.namespaces = {"a", ""}}), std::logic_error);
}

TEST_F(InformerNamespacesTest, AreAnErrorWithAKindThatIsInNone) {
  Informers informers(client_for(api_));
  const InformerOptions of_namespaces{.namespaces = {"a"}};
  const k8s::ApiResource nodes({"", "v1", "Node"}, "nodes", k8s::Scope::cluster);
  EXPECT_THROW(informers.get<k8s::Node>(of_namespaces), std::logic_error);
  EXPECT_THROW(informers.get_metadata<k8s::Node>(of_namespaces), std::logic_error);
  EXPECT_THROW(informers.get_metadata(nodes, of_namespaces), std::logic_error);
  try {
    informers.get(nodes, of_namespaces);
    ADD_FAILURE() << "it would read nothing";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(
        error.what(),
        "an informer of v1, Resource=nodes is given namespaces, and its objects are in none: give it "
        "no namespaces");
  }
  EXPECT_NO_THROW(informers.get<k8s::Node>());
}

TEST_F(InformerNamespacesTest, ANamespaceThatIsForbiddenIsNamedAndTheOthersGoOn) {
  api_.forbid("b");
  Account account;
  Informers informers(client_for(api_), {.timings = short_timings()});
  auto informer = informers.get<k8s::ConfigMap>({.namespaces = {"a", "b"}});
  const HandlerId handler = informer.add_handler(account.handler());
  informers.start();
  EXPECT_EQ(informer.find({"a", "one"}).value()->name(), "one");
  EXPECT_EQ(informer.list("a").value().size(), 2U);
  const std::uint64_t changed = api_.put("a", "one", "y");
  EXPECT_TRUE(account.wait_for("a/one", changed));

  ASSERT_TRUE(eventually([&] { return informer.problem().has_value(); }));
  EXPECT_NE(informer.problem()->message.find("listing v1, Resource=configmaps b"), std::string::npos)
      << informer.problem()->message;
  EXPECT_FALSE(informer.has_synced());
  EXPECT_FALSE(informer.handler_synced(handler));
  const auto unsynced = informers.unsynced();
  ASSERT_EQ(unsynced.size(), 1U);
  EXPECT_TRUE(unsynced[0].starts_with("v1, Resource=configmaps in b: listing")) << unsynced[0];
  const auto found = informer.find({"b", "one"}, Limits::within(Clock::system(), 1ms));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::deadline_exceeded);
  EXPECT_NE(found.error().message.find("configmaps in b from its informer"), std::string::npos);
  EXPECT_FALSE(informer.list({}, Limits::within(Clock::system(), 1ms)));
  EXPECT_FALSE(informer.by_index("none", "x", Limits::within(Clock::system(), 1ms)));

  api_.forbid("b", false);
  ASSERT_TRUE(informers.wait_for_sync(60s));
  EXPECT_TRUE(account.wait([](const auto& state) { return state.size() == 4; }));
  EXPECT_TRUE(eventually([&] { return informer.handler_synced(handler); }));
  EXPECT_TRUE(eventually([&] { return !informer.problem(); }));
  EXPECT_EQ(informer.list().value().size(), 4U);
  EXPECT_EQ(account.faults(), "");
}

TEST_F(InformerNamespacesTest, ARelistOfOneDeletesNothingOfTheOthers) {
  Account account;
  Informers informers(client_for(api_), {.timings = short_timings()});
  auto informer = informers.get<k8s::ConfigMap>({.namespaces = {"a", "b"}});
  informer.add_handler(account.handler());
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(60s));
  // Both watches break, and neither can go on where it was; only one may list again.
  api_.forbid("a");
  api_.forbid("b");
  api_.end_watches(true);
  api_.remove("a", "one");
  api_.remove("b", "one");
  api_.put("a", "three");
  api_.compact();
  api_.forbid("a", false);
  EXPECT_TRUE(account.wait([](const auto& state) { return state.contains("a/three"); }));
  EXPECT_EQ(keys(informer.cached()), (std::vector<std::string>{"a/three", "a/two", "b/one", "b/two"}));
  EXPECT_TRUE(informer.has_synced());
  ASSERT_TRUE(informer.problem());
  EXPECT_NE(informer.problem()->message.find("configmaps b"), std::string::npos)
      << informer.problem()->message;
  api_.forbid("b", false);
  EXPECT_TRUE(account.wait([](const auto& state) { return !state.contains("b/one"); }));
  EXPECT_EQ(keys(informer.cached()), (std::vector<std::string>{"a/three", "a/two", "b/two"}));
  EXPECT_EQ(account.faults(), "");
}

TEST_F(InformerNamespacesTest, ReadsWaitForWritesOfTheirNamespaceOnly) {
  Informers informers(client_for(api_));
  const auto informer = informers.get<k8s::ConfigMap>({.namespaces = {"a", "b"}});
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(60s));
  ASSERT_TRUE(eventually([&] { return api_.watches() == 2; }));
  // Its watch has not brought it yet.
  api_.set_faults({.delay = 1});
  const std::uint64_t version = api_.put("b", "one", "y");
  k8s::Dynamic written;
  written.set_name("one");
  written.set_namespace_name("b");
  written.set_resource_version(std::to_string(version));
  const auto resource = k8s::ConfigMap::resource.group_version_resource();
  informers.record_written(resource, written);
  written.set_namespace_name("c");
  informers.record_written(resource, written);  // not watched, so nothing waits for it

  EXPECT_TRUE(informer.find({"a", "one"}, Limits::within(Clock::system(), 1ms)));
  EXPECT_TRUE(informer.list("a", Limits::within(Clock::system(), 1ms)));
  EXPECT_FALSE(informer.find({"b", "one"}, Limits::within(Clock::system(), 1ms)));
  EXPECT_FALSE(informer.list({}, Limits::within(Clock::system(), 1ms)));
  auto found = std::async(std::launch::async, [&] { return informer.find({"b", "one"}); });
  auto listed = std::async(std::launch::async, [&] { return informer.list(); });
  api_.release();
  EXPECT_EQ(found.get().value()->data().find("text"), "y");
  EXPECT_EQ(listed.get().value().size(), 4U);
}

TEST_F(InformerNamespacesTest, AnObjectOfAnotherNamespaceIsNotTaken) {
  api_.set_faults({.ignore_namespace = true});
  Informers informers(client_for(api_), {.timings = short_timings()});
  const auto informer = informers.get<k8s::ConfigMap>({.namespaces = {"b"}});
  informers.start();
  ASSERT_TRUE(eventually([&] { return informer.problem().has_value(); }));
  EXPECT_NE(informer.problem()->message.find("the server has sent a/one for namespace b"), std::string::npos)
      << informer.problem()->message;
  EXPECT_FALSE(informer.has_synced());
  EXPECT_EQ(informer.size(), 0U);
  api_.set_faults({});
  ASSERT_TRUE(informers.wait_for_sync(60s));
  // The same of an event.
  api_.set_faults({.ignore_namespace = true});
  api_.end_watches(false);
  api_.put("a", "one", "z");
  ASSERT_TRUE(eventually([&] { return informer.problem().has_value(); }));
  EXPECT_EQ(keys(informer.cached()), (std::vector<std::string>{"b/one", "b/two"}));
}

TEST_F(InformerNamespacesTest, TellAgainOfAllAtTheTimesOfResync) {
  FakeClock clock;
  std::atomic<int> again = 0;
  Informers informers(client_for(api_, &clock), {.resync = 60s});
  auto informer = informers.get<k8s::ConfigMap>({.namespaces = {"a", "c"}});
  const HandlerId handler = informer.add_handler(
      {.updated = [&](const auto& before, const auto& now) { again += before == now ? 1 : 0; }});
  informers.start();
  ASSERT_TRUE(eventually([&] { return informer.handler_synced(handler); }));
  clock.wait_for_waiters(1);
  clock.advance(60s);
  EXPECT_TRUE(eventually([&] { return again == 4; }));
}

TEST(InformerNamespaces, OfAKindThatIsNotServedAreEmptyUntilItIs) {
  std::atomic<bool> served = false;
  MemoryApi server;
  server.intercept(
      [&](const http::Request& request) { return !served && request.method == "GET" ? 404 : 0; });
  const auto client = server.client();
  auto timings = short_timings();
  timings.served_check_interval = 5ms;
  Informers informers(client, {.timings = timings});
  const auto informer = informers.get<k8s::ConfigMap>({.namespaces = {"a", "b"}, .if_served = true});
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(60s));
  EXPECT_FALSE(informer.is_served());
  EXPECT_EQ(informer.find({"b", "one"}).value(), nullptr);
  for (const char* space : {"a", "b", "c"}) {
    ASSERT_TRUE(Api<k8s::ConfigMap>(client, space).create(k8s::make<k8s::ConfigMap>("one", space)));
  }
  served = true;
  EXPECT_TRUE(eventually([&] { return informer.size() == 2; }));
  EXPECT_TRUE(informer.is_served());
  EXPECT_EQ(keys(informer.list().value()), (std::vector<std::string>{"a/one", "b/one"}));
}

TEST(InformerNamespaces, OfAKindThatIsServedNoLongerDoNotWaitForWhatWasWritten) {
  std::atomic<bool> served = true, watched = false;
  MemoryApi server;
  server.intercept([&](const http::Request& request) {
    if (request.method != "GET") return 0;
    if (!served) return 404;
    // The watch ends as soon as there is one, and the list that follows finds no kind.
    if (request.query.find("watch=true") == std::string::npos) return 0;
    watched = true;
    return 410;
  });
  const auto client = server.client();
  auto timings = short_timings();
  timings.served_check_interval = 5ms;
  Informers informers(client, {.timings = timings});
  const auto informer = informers.get<k8s::ConfigMap>({.if_served = true});
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(60s));
  ASSERT_TRUE(eventually([&] { return watched.load(); }));
  served = false;
  ASSERT_TRUE(eventually([&] { return !informer.is_served(); }));
  // Written before the CRD went; the answer is noted late.
  const auto written = Api<k8s::ConfigMap>(client, "a").create(k8s::make<k8s::ConfigMap>("one", "a"));
  ASSERT_TRUE(written) << written.error().message;
  const auto resource = k8s::ConfigMap::resource.group_version_resource();
  informers.record_written(resource, *written);
  informers.record_removed(resource, {"a", "one"}, written->uid());
  const auto limits = Limits::within(Clock::system(), 20s);
  const auto found = informer.find({"a", "one"}, limits);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, nullptr);
  const auto listed = informer.list({}, limits);
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_TRUE(listed->empty());
}

}  // namespace
}  // namespace fairway::kube
