// SPDX-License-Identifier: Apache-2.0

// Informers that end when nobody needs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "kube/controller_kinds.h"
#include "kube/informer_account.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using fairway::testing::eventually;
using testing::Account;
using testing::ChurningApi;
using testing::client_for;

using Maps = Informer<k8s::ConfigMap>;
const InformerOptions at_once{.unused_timeout = 0s};

class InformerEndTest : public ::testing::Test {
 protected:
  InformerEndTest() {
    for (const char* name : {"one", "two", "three"}) api_.put("a", name, "x");
  }
  std::size_t lists() const {
    return static_cast<std::size_t>(std::ranges::count_if(api_.requests(), [](const std::string& request) {
      return request.find("limit=500") != std::string::npos;
    }));
  }
  /// Returns an object that lives as long as the cache.
  static std::weak_ptr<const k8s::ConfigMap> cached_object(const Maps& informer) {
    return informer.find({"a", "one"}, Limits::within(Clock::system(), 60s)).value();
  }
  static std::unique_ptr<Maps> on_heap(Maps informer) { return std::make_unique<Maps>(std::move(informer)); }

  ChurningApi api_{1};
};

TEST_F(InformerEndTest, EndsWithItsLastHandle) {
  metrics::Registry registry;
  Informers informers(client_for(api_), {.registry = &registry});
  informers.start();
  auto handle = on_heap(informers.get<k8s::ConfigMap>(at_once));
  auto copy = on_heap(*handle);
  auto again = on_heap(informers.get<k8s::ConfigMap>(at_once));
  auto untyped = std::make_unique<Informer<k8s::Dynamic>>(handle->untyped_informer());
  const auto object = cached_object(*handle);
  EXPECT_NE(
      registry.text().find("fairway_informer_objects{group=\"\",resource=\"configmaps\",version=\"v1\"} 3"),
      std::string::npos)
      << registry.text();
  handle.reset();
  again.reset();
  copy.reset();
  EXPECT_EQ(untyped->find({"a", "one"}).value(), object.lock());
  EXPECT_EQ(lists(), 1U);
  untyped.reset();
  EXPECT_TRUE(eventually([&] { return object.expired(); })) << "its memory is freed";
  EXPECT_TRUE(eventually([&] {
    const std::string text = registry.text();
    return text.find("fairway_informers{group=\"\",resource=\"configmaps\",version=\"v1\"} 0") !=
               std::string::npos &&
           text.find("fairway_informers_synced{group=\"\",resource=\"configmaps\",version=\"v1\"} 0") !=
               std::string::npos &&
           text.find("fairway_informer_objects{group=\"\",resource=\"configmaps\",version=\"v1\"} 0") !=
               std::string::npos;
  })) << registry.text();
  // A later one begins anew.
  api_.put("a", "one", "y");
  EXPECT_EQ(informers.get<k8s::ConfigMap>(at_once).find({"a", "one"}).value()->data().find("text"), "y");
  EXPECT_EQ(lists(), 2U);
}

TEST_F(InformerEndTest, GoesOnIfItWasNotAskedToEnd) {
  Informers informers(client_for(api_));
  informers.start();
  const auto object = cached_object(informers.get<k8s::ConfigMap>());
  // Whoever shares it cannot end it.
  EXPECT_EQ(cached_object(informers.get<k8s::ConfigMap>(at_once)).lock(), object.lock());
  // The thread that ends informers has had its turn once this one is gone.
  auto other = on_heap(informers.get<k8s::ConfigMap>({.namespaces = {"a"}, .unused_timeout = 0s}));
  const auto of_other = cached_object(*other);
  other.reset();
  ASSERT_TRUE(eventually([&] { return of_other.expired(); }));
  EXPECT_FALSE(object.expired());
  // Nor does one that was to end, once somebody wants it for good.
  auto some = on_heap(informers.get<k8s::ConfigMap>({.namespaces = {"a"}, .unused_timeout = 0s}));
  const auto pinned = cached_object(*some);
  cached_object(informers.get<k8s::ConfigMap>({.namespaces = {"a"}}));
  some.reset();
  auto last = on_heap(informers.get<k8s::ConfigMap>({.managed_fields = true, .unused_timeout = 0s}));
  const auto of_last = cached_object(*last);
  last.reset();
  ASSERT_TRUE(eventually([&] { return of_last.expired(); }));
  EXPECT_FALSE(pinned.expired());
}

TEST_F(InformerEndTest, WaitsForItsTimeByTheClientsClock) {
  FakeClock clock;
  Informers informers(client_for(api_, &clock));
  informers.start();
  const InformerOptions after_a_minute{.unused_timeout = 60s};
  auto handle = on_heap(informers.get<k8s::ConfigMap>(after_a_minute));
  ASSERT_TRUE(eventually([&] { return handle->has_synced(); }));
  const std::weak_ptr<const k8s::ConfigMap> object = handle->cached().front();
  handle.reset();
  clock.advance(59s);
  // A reconcile that gets it each time finds it as it was.
  EXPECT_EQ(informers.get<k8s::ConfigMap>(after_a_minute).cached().front(), object.lock());
  clock.advance(59s);
  handle = on_heap(informers.get<k8s::ConfigMap>(after_a_minute));
  EXPECT_TRUE(handle->has_synced());
  clock.advance(600s);
  EXPECT_FALSE(object.expired()) << "while it is used, no time runs";
  handle.reset();
  clock.wait_for_waiters(1);
  EXPECT_FALSE(object.expired());
  EXPECT_TRUE(eventually([&] {
    clock.advance(1s);
    return object.expired();
  }));
  EXPECT_EQ(lists(), 1U);
}

TEST_F(InformerEndTest, GoesOnForItsHandlersWithoutAHandle) {
  Account account;
  Informers informers(client_for(api_));
  informers.start();
  HandlerId handler = 0;
  std::weak_ptr<const k8s::ConfigMap> object;
  {
    auto informer = informers.get<k8s::ConfigMap>(at_once);
    handler = informer.add_handler(account.handler());
    object = cached_object(informer);
  }
  auto other = on_heap(informers.get<k8s::ConfigMap>({.namespaces = {"a"}, .unused_timeout = 0s}));
  const auto of_other = cached_object(*other);
  other.reset();
  ASSERT_TRUE(eventually([&] { return of_other.expired(); }));
  EXPECT_FALSE(object.expired());
  const std::uint64_t version = api_.put("a", "four");
  EXPECT_TRUE(account.wait_for("a/four", version));
  informers.get<k8s::ConfigMap>(at_once).remove_handler(handler);
  EXPECT_TRUE(eventually([&] { return object.expired(); }));
}

TEST_F(InformerEndTest, MayBeEndedByItsOwnHandler) {
  Informers informers(client_for(api_));
  informers.start();
  std::promise<void> ready;
  auto handle = on_heap(informers.get<k8s::ConfigMap>(at_once));
  std::weak_ptr<const k8s::ConfigMap> object;
  std::promise<void> let_go;
  HandlerId id = 0;
  id = handle->add_handler({.added = [&, begun = ready.get_future().share()](const auto& now, bool) {
    begun.wait();  // until the id is known
    object = now;
    handle->remove_handler(id);
    handle.reset();
    let_go.set_value();
  }});
  ready.set_value();
  let_go.get_future().wait();
  EXPECT_TRUE(eventually([&] { return object.expired(); }));
}

TEST_F(InformerEndTest, AHandlerMayHoldTheLastHandleOfAnother) {
  Informers informers(client_for(api_));
  informers.start();
  std::weak_ptr<const k8s::ConfigMap> first, second;
  {
    auto outer = informers.get<k8s::ConfigMap>(at_once);
    auto inner = informers.get<k8s::ConfigMap>({.namespaces = {"a"}, .unused_timeout = 0s});
    first = cached_object(outer);
    second = cached_object(inner);
    std::atomic<bool> told = false;
    const HandlerId id = outer.add_handler({.added = [inner, &told](const auto&, bool) { told = true; }});
    ASSERT_TRUE(eventually([&] { return told.load(); }));
    EXPECT_FALSE(second.expired());
    outer.remove_handler(id);
  }
  EXPECT_TRUE(eventually([&] { return first.expired() && second.expired(); }));
}

TEST_F(InformerEndTest, IsNotWaitedForOnceItHasEnded) {
  api_.set_faults({.request = 1});
  Informers informers(client_for(api_), {.timings = testing::short_timings()});
  informers.start();
  auto handle = on_heap(informers.get<k8s::ConfigMap>(at_once));
  auto synced = std::async(std::launch::async, [&] { return informers.wait_for_sync(60s); });
  ASSERT_TRUE(eventually([&] { return handle->problem().has_value(); }));
  handle.reset();
  EXPECT_TRUE(synced.get());
  EXPECT_TRUE(informers.unsynced().empty());
}

TEST_F(InformerEndTest, HandlesOutliveTheSet) {
  std::unique_ptr<Maps> handle, late;
  {
    Informers informers(client_for(api_));
    informers.start();
    handle = on_heap(informers.get<k8s::ConfigMap>(at_once));
    ASSERT_TRUE(cached_object(*handle).lock());
    informers.stop();
    late = on_heap(informers.get<k8s::ConfigMap>({.namespaces = {"a"}, .unused_timeout = 0s}));
  }
  EXPECT_EQ(handle->cached().size(), 3U);
  handle.reset();
  late.reset();
}

TEST_F(InformerEndTest, ManyMayGetAndLetGoAtOnce) {
  Informers informers(client_for(api_));
  informers.start();
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int round = 0; round < 25; ++round) {
          auto informer = informers.get<k8s::ConfigMap>(at_once);
          std::promise<void> told;
          std::atomic<bool> first = true;
          const bool listens = (thread + round) % 2 == 0;
          HandlerId id = 0;
          if (listens) {
            id = informer.add_handler({.added = [&](const auto&, bool) {
              if (first.exchange(false)) told.set_value();
            }});
            told.get_future().wait();
          }
          const auto found = informer.find({"a", "one"}, Limits::within(Clock::system(), 60s));
          if (!found || !*found) ++wrong;
          if (listens) informer.remove_handler(id);
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  const auto object = cached_object(informers.get<k8s::ConfigMap>(at_once));
  EXPECT_TRUE(eventually([&] { return object.expired(); }));
}

}  // namespace
}  // namespace fairway::kube
