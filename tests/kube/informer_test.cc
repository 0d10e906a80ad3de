// SPDX-License-Identifier: Apache-2.0

// Informers against an API server that fails in every way: what they know in the end is what a fresh list
// says, and what their handlers were told adds up to it.
#include "kube/informer/informer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include "k8s/core.h"
#include "kube/client/api.h"
#include "kube/informer_account.h"
#include "kube/memory_api.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using testing::Account;
using testing::ChurningApi;
using testing::client_for;
using testing::Faults;
using testing::MemoryApi;
using testing::short_timings;

std::map<std::string, std::string> state_of(const Informer<k8s::ConfigMap>& informer) {
  std::map<std::string, std::string> state;
  for (const auto& object : informer.cached()) state[object->key().to_string()] = object->resource_version();
  return state;
}

/// Checks that indexes and namespaces give the same objects as a scan of all.
void expect_indexes(const Informer<k8s::ConfigMap>& informer, const std::vector<std::string>& namespaces) {
  std::map<std::string, std::vector<std::string>> expected;
  const auto all = informer.list().value();
  for (const auto& object : all) {
    expected[std::string(object->data().find("text").value_or(""))].push_back(object->key().to_string());
  }
  for (const char* value : {"0", "1", "2", "3", "none"}) {
    std::vector<std::string> found;
    const auto indexed = informer.by_index("text", value).value();
    for (const auto& object : indexed) found.push_back(object->key().to_string());
    EXPECT_EQ(found, expected[value]) << value;
  }
  std::size_t in_namespaces = 0;
  for (const std::string& name : namespaces) {
    const auto here = informer.list(name).value();
    for (const auto& object : here) {
      EXPECT_EQ(object->namespace_name(), name);
      EXPECT_EQ(informer.find(object->key()).value(), object);
      ++in_namespaces;
    }
  }
  EXPECT_EQ(in_namespaces, informer.size());
}

struct Churn {
  std::uint64_t seed = 0;
  bool streaming = false;
  /// True for a watch of each of some namespaces, false for one of all.
  bool some_namespaces = false;
};

class InformerChurnTest : public ::testing::TestWithParam<Churn> {};

TEST_P(InformerChurnTest, KnowsInTheEndWhatAFreshListSaysAndTellsOfIt) {
  const auto [seed, streaming, some_namespaces] = GetParam();
  const Faults faults{.request = 0.15, .event = 0.08, .delay = 0.2, .stale = true, .streaming = streaming};
  ChurningApi api(seed, faults);
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t count) { return random() % count; };
  const auto name = [&] { return "cm-" + std::to_string(below(40)); };
  const auto space = [&] { return std::string(1, static_cast<char>('a' + below(3))); };
  const auto write = [&] {
    if (below(3) == 0) {
      api.remove(space(), name());
    } else {
      api.put(space(), name(), std::to_string(below(4)));
    }
  };
  for (int i = 0; i < 60; ++i) write();

  Account early, late;
  Informers informers(client_for(api),
                      {.streaming_list = streaming,
                       .max_pending_events = 8,
                       .timings = short_timings(),
                       .random = [value = 0.0]() mutable { return value = value < 0.9 ? value + 0.1 : 0; }});
  const std::vector<std::string> watched =
      some_namespaces ? std::vector<std::string>{"zz", "a", "b"} : std::vector<std::string>{};
  auto informer = informers.get<k8s::ConfigMap>({.namespaces = watched});
  informer.add_index("text", [](const k8s::ConfigMap& object) -> std::vector<std::string> {
    return {std::string(object.data().find("text").value_or(""))};
  });
  informer.add_handler(early.handler());
  informers.start();
  // The last write of each watch: what came before is known once it is.
  const auto pace = [&](const std::string& name) {
    std::map<std::string, std::uint64_t> versions;
    for (const std::string& space : some_namespaces ? watched : std::vector<std::string>{"zz"}) {
      versions[space + "/" + name] = api.put(space, name, "");
    }
    return versions;
  };
  const auto has = [](Account& account, const std::map<std::string, std::uint64_t>& versions) {
    return std::ranges::all_of(versions,
                               [&](const auto& one) { return account.wait_for(one.first, one.second); });
  };
  const auto expected = [&] {
    auto state = api.state();
    if (some_namespaces) std::erase_if(state, [](const auto& one) { return one.first.starts_with("c/"); });
    return state;
  };
  for (int round = 0; round < 12; ++round) {
    for (std::uint64_t i = 0, count = 1 + below(25); i < count; ++i) write();
    switch (below(8)) {
      case 0:
        api.compact();
        break;
      case 1:
        api.end_watches(below(2) == 0);
        break;
      case 2:
        api.compact();
        api.end_watches(true);
        break;
      case 3:
        api.restart();
        break;
      case 4:
        api.bookmark();
        break;
      default:
        break;
    }
    if (round == 5) informer.add_handler(late.handler());
    const auto versions = pace("pace");
    api.release();
    ASSERT_TRUE(has(early, versions)) << "round " << round;
    ASSERT_EQ(early.state(), expected()) << "round " << round;
  }
  api.set_faults({.streaming = streaming});
  const auto versions = pace("zz-end");
  ASSERT_TRUE(has(early, versions));
  ASSERT_TRUE(has(late, versions));
  informers.stop();
  EXPECT_EQ(early.faults(), "");
  EXPECT_EQ(late.faults(), "");
  EXPECT_EQ(state_of(informer), expected());
  EXPECT_EQ(early.state(), expected());
  EXPECT_EQ(late.state(), expected());
  expect_indexes(informer, some_namespaces ? watched : std::vector<std::string>{"a", "b", "c", "zz"});
}

/// Returns the seeds; FAIRWAY_CHURN_SEEDS sets their number, for a longer search.
std::vector<Churn> seeds() {
  const char* wanted = std::getenv("FAIRWAY_CHURN_SEEDS");
  const std::uint64_t count = wanted != nullptr ? std::stoull(wanted) : 30;
  std::vector<Churn> result;
  for (std::uint64_t seed = 1; seed <= count; ++seed) result.push_back({seed, seed % 3 == 0, seed % 5 == 0});
  return result;
}

INSTANTIATE_TEST_SUITE_P(Seeds, InformerChurnTest, ::testing::ValuesIn(seeds()), [](const auto& info) {
  return std::to_string(info.param.seed) + (info.param.streaming ? "_streaming" : "") +
         (info.param.some_namespaces ? "_namespaces" : "");
});

/// A server without faults, and informers on it.
class InformersTest : public ::testing::Test {
 protected:
  InformersTest() {
    for (const char* name : {"one", "two", "three"}) api_.put("a", name, "x");
  }
  static std::size_t count(const std::vector<std::string>& requests, std::string_view what) {
    return static_cast<std::size_t>(std::ranges::count_if(
        requests, [&](const std::string& query) { return query.find(what) != std::string::npos; }));
  }

  ChurningApi api_{1};
};

/// Another view of ConfigMaps.
class Settings : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource = k8s::ConfigMap::resource;
  using Dynamic::Dynamic;
  std::string_view value() const { return text("data.text"); }
};

TEST_F(InformersTest, AnIndexThatIsNotThereIsAnError) {
  Informers informers(client_for(api_));
  auto informer = informers.get<k8s::ConfigMap>();
  informers.start();
  const auto missing = informer.by_index("name", "one");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::invalid);
  EXPECT_EQ(missing.error().message,
            "the informer of v1, Resource=configmaps has no index 'name': add_index adds it");
  informer.add_index("name", [](const k8s::ConfigMap& object) -> std::vector<std::string> {
    return {std::string(object.name())};
  });
  EXPECT_EQ(informer.by_index("name", "one").value().size(), 1U);
  EXPECT_TRUE(informer.by_index("name", "nobody").value().empty());
}

TEST_F(InformersTest, WatchOnceHoweverManyAsk) {
  Informers informers(client_for(api_));
  auto untyped = informers.get(k8s::ConfigMap::resource);
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(20s));
  const SharedObject before = untyped.find({"a", "one"}).value();
  auto typed = informers.get<k8s::ConfigMap>();
  auto again = informers.get<k8s::ConfigMap>();
  EXPECT_TRUE(typed.has_synced());
  // Objects that were made before anybody asked for the view are of it now.
  EXPECT_EQ(typed.find({"a", "one"}).value()->data().find("text"), "x");
  EXPECT_EQ(typed.find({"a", "one"}).value(), again.find({"a", "one"}).value());
  EXPECT_EQ(typed.find({"a", "one"}).value(), untyped.find({"a", "one"}).value());
  EXPECT_EQ(before->json(), untyped.find({"a", "one"}).value()->json());
  EXPECT_EQ(count(api_.requests(), "limit=500"), 1U);
  // Other objects, and another view of the same ones, are other informers.
  auto other = informers.get<Settings>();
  auto some = informers.get<k8s::ConfigMap>({.labels = k8s::LabelSelector::parse("app=x").value()});
  ASSERT_TRUE(informers.wait_for_sync(20s));
  EXPECT_EQ(other.find({"a", "two"}).value()->value(), "x");
  EXPECT_EQ(count(api_.requests(), "limit=500"), 3U);
  EXPECT_TRUE(some.has_synced());
}

TEST_F(InformersTest, KeepOnlyWhatIsWanted) {
  Informers informers(client_for(api_));
  auto names = informers.get<k8s::ConfigMap>({.transform = only_fields({"metadata.labels"})});
  auto all = informers.get<k8s::ConfigMap>();
  auto whole = informers.get<k8s::ConfigMap>({.managed_fields = true});
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(20s));
  EXPECT_EQ(all.find({"a", "one"}).value()->data().find("text"), "x");
  EXPECT_FALSE(all.find({"a", "one"}).value()->has("metadata.managedFields"));
  EXPECT_TRUE(whole.find({"a", "one"}).value()->has("metadata.managedFields"));
  const auto one = names.find({"a", "one"}).value();
  EXPECT_TRUE(one->data().empty());
  EXPECT_EQ(one->key().to_string(), "a/one");
  EXPECT_EQ(one->kind(), "ConfigMap");
  EXPECT_EQ(one->uid(), "u1");
  EXPECT_EQ(one->resource_version(), "101");
}

TEST_F(InformersTest, ATransformCannotTakeAwayWhatAnObjectIs) {
  Informers informers(client_for(api_));
  auto informer = informers.get<k8s::ConfigMap>({.transform = {"hostile", [](k8s::Dynamic& object) {
                                                                 object = k8s::Dynamic();
                                                                 object.set_name("other");
                                                               }}});
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(20s));
  EXPECT_EQ(informer.size(), 3U);
  EXPECT_EQ(informer.find({"a", "one"}).value()->resource_version(), "101");
}

TEST(Transform, KeepsWhatControllersNeed) {
  MemoryApi server;
  const auto client = server.client();
  Api<k8s::ConfigMap> maps(client, "a");
  auto map = k8s::make<k8s::ConfigMap>("m", "a");
  map.set_data("text", "x");
  map.add_finalizer("example.com/one");
  ASSERT_TRUE(maps.create(map));
  ASSERT_TRUE(maps.remove("m"));
  const auto stored = maps.get("m");
  ASSERT_TRUE(stored);
  ASSERT_GT(stored->generation(), 0);
  Informers informers(client);
  const auto some = informers.get<k8s::ConfigMap>({.transform = only_fields({"data.text"})});
  const auto hostile = informers.get<k8s::ConfigMap>({.transform = {"hostile", [](k8s::Dynamic& object) {
                                                                      object = k8s::Dynamic();
                                                                      object.set("metadata.generation", 77);
                                                                    }}});
  informers.start();
  for (const auto& informer : {some, hostile}) {
    const auto found = informer.find({"a", "m"});
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->generation(), stored->generation());
    EXPECT_TRUE((*found)->is_being_deleted());
    EXPECT_TRUE((*found)->has_finalizer("example.com/one"));
  }
  EXPECT_FALSE((*hostile.find({"a", "m"}))->has("data"));
}

TEST_F(InformersTest, ATransformNeedsAName) {
  Informers informers(client_for(api_));
  EXPECT_THROW(informers.get<k8s::ConfigMap>({.transform = {"", [](k8s::Dynamic&) {}}}), std::logic_error);
}

TEST_F(InformersTest, AFunctionThatThrowsDoesNotEndTheProcess) {
  Informers informers(client_for(api_));
  auto informer = informers.get<k8s::ConfigMap>({.transform = {"at fault", [](k8s::Dynamic& object) {
                                                                 if (object.name() != "two") return;
                                                                 object = k8s::Dynamic();
                                                                 throw std::out_of_range("no such part");
                                                               }}});
  informer.add_index("name", [](const k8s::ConfigMap& object) -> std::vector<std::string> {
    if (object.name() == "one") throw std::out_of_range("no such name");
    return {std::string(object.name())};
  });
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(20s));
  EXPECT_EQ(informer.size(), 3U);
  // As it came, and not half changed.
  EXPECT_EQ(informer.find({"a", "two"}).value()->data().find("text"), "x");
  EXPECT_TRUE(informer.by_index("name", "one").value().empty());
  EXPECT_EQ(informer.by_index("name", "two").value().size(), 1U);
}

TEST(Store, AnObjectLeavesAnIndexWhoseFunctionThrowsThen) {
  Store store;
  bool fails = false;
  store.add_index("kind", [&fails](const k8s::Dynamic&) -> std::vector<std::string> {
    if (fails) throw std::out_of_range("no such name");
    return {"a", "b"};
  });
  for (const char* name : {"one", "two"}) {
    k8s::Dynamic object;
    object.set_name(name);
    store.put(std::make_shared<const k8s::Dynamic>(object));
  }
  fails = true;
  store.erase({"", "one"});
  for (const char* value : {"a", "b"}) {
    const auto found = store.by_index("kind", value).value();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]->name(), "two");
  }
}

TEST_F(InformersTest, WhatIsHandedOutStaysAndCopiesMayBeChanged) {
  Account account;
  std::shared_ptr<const k8s::ConfigMap> held;
  k8s::ConfigMap copy;
  {
    Informers informers(client_for(api_));
    auto informer = informers.get<k8s::ConfigMap>();
    informer.add_handler(account.handler());
    informers.start();
    ASSERT_TRUE(informers.wait_for_sync(20s));
    held = informer.find({"a", "one"}).value();
    copy = *held;
    copy.set_data("more", "a text that is longer than a short one");
    const std::uint64_t version = api_.put("a", "one", "y");
    ASSERT_TRUE(account.wait_for("a/one", version));
    EXPECT_EQ(informer.find({"a", "one"}).value()->data().find("text"), "y");
  }
  EXPECT_EQ(held->data().find("text"), "x");
  EXPECT_FALSE(held->data().contains("more"));
  EXPECT_EQ(copy.data().find("more"), "a text that is longer than a short one");
}

TEST_F(InformersTest, TellAgainAtTheTimesOfResync) {
  FakeClock clock;
  ClientConfig config;
  config.server = api_.url();
  auto client = Client::create(config, {.clock = &clock});
  ASSERT_TRUE(client);
  std::mutex mutex;
  std::condition_variable changed;
  int added = 0, again = 0;
  Informers informers(*client, {.resync = 60s});
  auto informer = informers.get<k8s::ConfigMap>();
  informer.add_handler({.added =
                            [&](const auto&, bool initial) {
                              const std::lock_guard lock(mutex);
                              added += initial ? 1 : 0;
                              changed.notify_all();
                            },
                        .updated =
                            [&](const auto& before, const auto& now) {
                              const std::lock_guard lock(mutex);
                              again += before == now ? 1 : 0;
                              changed.notify_all();
                            }});
  informers.start();
  const auto wait = [&](const std::function<bool()>& reached) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 20s, reached);
  };
  ASSERT_TRUE(wait([&] { return added == 3; }));
  for (int round = 1; round <= 3; ++round) {
    clock.wait_for_waiters(1);
    clock.advance(60s);
    ASSERT_TRUE(wait([&] { return again == 3 * round; }));
  }
  informers.stop();
  EXPECT_EQ(again, 9);
}

TEST_F(InformersTest, SayWhyTheyAreNotReady) {
  Informers informers(client_for(api_), {.timings = short_timings()});
  auto informer = informers.get<k8s::ConfigMap>();
  ASSERT_EQ(informers.unsynced(),
            std::vector<std::string>{"v1, Resource=configmaps: the server has not answered yet"});
  api_.set_faults({.request = 1});
  informers.start();
  EXPECT_FALSE(informers.wait_for_sync(50ms));
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!informer.problem() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_NE(informers.unsynced().at(0).find("configmaps: listing"), std::string::npos)
      << informers.unsynced().at(0);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(informers.wait_for_sync({.stop = stopped.get_token()}));
  api_.set_faults({});
  EXPECT_TRUE(informers.wait_for_sync(20s));
  EXPECT_TRUE(informers.unsynced().empty());
}

TEST_F(InformersTest, ReadsWaitForTheFirstListAndAreNeverAbsentBefore) {
  Informers informers(client_for(api_), {.timings = short_timings()});
  auto informer = informers.get<k8s::ConfigMap>();
  const auto early = informer.find({"a", "one"}, Limits::within(Clock::system(), 1ms));
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::deadline_exceeded);
  EXPECT_NE(early.error().message.find("reading v1, Resource=configmaps from its informer"),
            std::string::npos);
  EXPECT_NE(early.error().message.find("its first list"), std::string::npos) << early.error().message;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(informer.list({}, {.stop = stop.get_token()}).error().code, ErrorCode::cancelled);
  EXPECT_TRUE(informer.cached().empty());

  auto found = std::async(std::launch::async, [&] { return informer.find({"a", "one"}); });
  auto listed = std::async(std::launch::async, [&] { return informer.list("a"); });
  informers.start();
  const auto object = found.get();
  ASSERT_TRUE(object) << object.error().message;
  ASSERT_NE(*object, nullptr);
  EXPECT_EQ((*object)->data().find("text"), "x");
  EXPECT_EQ(listed.get().value().size(), 3U);
  EXPECT_EQ(informer.find({"a", "none"}).value(), nullptr);
}

TEST_F(InformersTest, ThatAreStoppedBeforeTheFirstListSaySo) {
  Informers informers(client_for(api_));
  auto informer = informers.get<k8s::ConfigMap>();
  auto found = std::async(std::launch::async, [&] { return informer.find({"a", "one"}); });
  informers.stop();
  EXPECT_EQ(found.get().error().code, ErrorCode::cancelled);
}

TEST_F(InformersTest, StopForGood) {
  Informers informers(client_for(api_), {.timings = short_timings()});
  Account account;
  auto informer = informers.get<k8s::ConfigMap>();
  informer.add_handler(account.handler());
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(20s));
  informers.stop();
  api_.put("a", "four");
  EXPECT_EQ(informer.size(), 3U);
  auto late = informers.get<Settings>();
  informers.start();
  informers.stop();
  EXPECT_EQ(late.size(), 0U);
}

TEST_F(InformersTest, DoNotWaitForAHandlerThatIsSlow) {
  std::mutex mutex;
  std::condition_variable changed;
  bool go_on = false;
  std::map<std::string, std::string> told;
  Informers informers(client_for(api_), {.max_pending_events = 4});
  auto informer = informers.get<k8s::ConfigMap>();
  const auto record = [&](const std::shared_ptr<const k8s::ConfigMap>& now) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return go_on; });
    told[now->key().to_string()] = now->resource_version();
    changed.notify_all();
  };
  informer.add_handler({.added = [&](const auto& now, bool) { record(now); },
                        .updated = [&](const auto&, const auto& now) { record(now); }});
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(20s));
  std::uint64_t version = 0;
  for (int i = 0; i < 2000; ++i) version = api_.put("a", "one", std::to_string(i));
  // The store knows the last state while the handler still has the first one.
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (informer.find({"a", "one"}).value()->resource_version() != std::to_string(version) &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(informer.find({"a", "one"}).value()->resource_version(), std::to_string(version));
  std::unique_lock lock(mutex);
  EXPECT_TRUE(told.empty());
  go_on = true;
  changed.notify_all();
  EXPECT_TRUE(changed.wait_for(lock, 20s, [&] { return told["a/one"] == std::to_string(version); }));
}

}  // namespace
}  // namespace fairway::kube
