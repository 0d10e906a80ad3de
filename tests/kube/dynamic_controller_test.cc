// SPDX-License-Identifier: Apache-2.0

// Controllers of kinds that are known only at run time.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "k8s/conditions.h"
#include "kube/controller_kinds.h"
#include "kube/fake_discovery.h"
#include "kube/memory_api.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using fairway::testing::eventually;
using k8s::ApiResource;
using k8s::Dynamic;
using k8s::GroupVersionKind;
using k8s::Scope;
using testing::FakeDiscovery;
using testing::MemoryApi;
using testing::RunningManager;
using testing::Widget;

const GroupVersionKind widget_kind{"widgets.example.com", "v1", "Widget"};
const ApiResource gears{{"gears.example.com", "v1", "Gear"}, "gears", Scope::namespaced};
const ApiResource planets{{"widgets.example.com", "v1", "Planet"}, "planets", Scope::cluster};
const k8s::ConditionPolicy policy = k8s::gateway_policy({"Ready"});

class DynamicControllerTest : public ::testing::Test {
 protected:
  DynamicControllerTest() {
    server_.respond([this](const http::Request& request) { return discovery_.answer(request); });
    server_.intercept([this](const http::Request& request) {
      return !gears_served_ && request.path.find("/gears") != std::string::npos ? 404 : 0;
    });
    discovery_.serve({widget_kind, "widgets", Scope::namespaced});
    discovery_.serve(planets);
    discovery_.serve({{"", "v1", "ConfigMap"}, "configmaps", Scope::namespaced});
  }

  void saw(const std::string& what) {
    const std::lock_guard lock(mutex_);
    seen_.push_back(what);
  }
  std::size_t count(const std::string& what) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count(seen_, what));
  }
  std::size_t total() {
    const std::lock_guard lock(mutex_);
    return seen_.size();
  }

  FakeDiscovery discovery_;
  MemoryApi server_;
  std::atomic<bool> gears_served_ = false;
  std::shared_ptr<Client> client_ = server_.client();

 private:
  std::mutex mutex_;
  std::vector<std::string> seen_;
};

TEST_F(DynamicControllerTest, ReconcilesAKindFromTheMapper) {
  ManagerOptions options;
  options.informers.timings.served_check_interval = std::chrono::milliseconds(5);
  Manager manager(client_, std::move(options));
  const auto widgets = manager.mapper()->find(widget_kind);
  ASSERT_TRUE(widgets) << widgets.error().message;
  const auto maps = manager.mapper()->find_by_name("configmaps");
  ASSERT_TRUE(maps);
  const Trigger outside;
  manager.controller("widgets", *widgets)
      .owns(*maps)
      .watches(gears,
               [](const Dynamic& gear) -> std::vector<Key> {
                 return {{std::string(gear.namespace_name()), std::string(gear.text("spec.widget"))}};
               })
      .if_served()
      .on(outside)
      .reconcile([&, widgets = *widgets, maps = *maps](
                     const Context& context, const Key& key,
                     const std::shared_ptr<const Dynamic>& object) -> Result<Requeue> {
        if (!object) {
          saw(key.to_string() + " absent");
          return done();
        }
        const Dynamic& widget = *object;
        const auto gear = context.informers()
                              .get(gears, {.if_served = true})
                              .find({context.key().namespace_name, "gear"}, context.limits());
        if (!gear) return fail(gear.error());
        saw(context.key().to_string() + (*gear ? " with " + std::string((*gear)->text("spec.teeth")) : ""));
        Dynamic owned = k8s::make(maps, "of-" + std::string(widget.name()));
        owned.set("data.color", widget.text("spec.color"));
        owned.set_namespace_name(widget.namespace_name());
        if (auto set = owned.set_owner(widget); !set) return fail(set.error());
        const auto applied = context.dynamic().apply(owned, {.field_manager = "test"}, context.limits());
        if (!applied) return fail(applied.error());
        return context.update_status(widgets, widget, [&](Dynamic& now) {
          k8s::Conditions conditions(now, policy, context.clock());
          conditions.set_true("Ready", "Applied");
        });
      });
  RunningManager running(manager);
  DynamicApi api(client_, *widgets, "a");
  Dynamic widget = k8s::make(*widgets, "w");
  widget.set("spec.color", "red");
  ASSERT_TRUE(api.create(widget));
  DynamicApi owned(client_, *maps, "a");
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(eventually([&] { return owned.get("of-w").has_value(); }));
    ASSERT_TRUE(owned.remove("of-w"));
  }
  ASSERT_TRUE(eventually([&] {
    const auto now = api.get("w");
    return now && k8s::find_condition(*now, "Ready") && k8s::find_condition(*now, "Ready")->is_true();
  }));
  EXPECT_EQ(api.get("w")->items("status.conditions").size(), 1);
  EXPECT_EQ(k8s::find_condition(*api.get("w"), "Ready")->observed_generation(), 1);

  ASSERT_TRUE(eventually([&] { return owned.get("of-w").has_value(); }));
  // Nothing but the trigger names it.
  EXPECT_EQ(count("a/none absent"), 0);
  outside.fire({"a", "none"});
  EXPECT_TRUE(eventually([&] { return count("a/none absent") == 1; }));

  gears_served_ = true;
  Dynamic gear = k8s::make(gears, "gear", "a");
  gear.set("spec.widget", "w");
  gear.set("spec.teeth", "12");
  ASSERT_TRUE(DynamicApi(client_, gears, "a").create(gear));
  EXPECT_TRUE(eventually([&] { return count("a/w with 12") > 0; }));
  ASSERT_TRUE(DynamicApi(client_, gears, "a").merge_patch("gear", {{"spec", {{"teeth", "13"}}}}));
  EXPECT_TRUE(eventually([&] { return count("a/w with 13") > 0; }));
  EXPECT_TRUE(running.stop());
}

TEST_F(DynamicControllerTest, TakesTheKeyOfWhatIsGoneAndOfWhatHasNoNamespace) {
  Manager manager(client_);
  manager.controller("planets", planets)
      .when(generation_changed)
      .reconcile([&](const Context& context, const Key& key,
                     const std::shared_ptr<const Dynamic>& planet) -> Result<Requeue> {
        saw(key.to_string() + (planet ? " " + std::string(planet->text("spec.size")) : " gone"));
        if (!planet) return done();
        auto again = context.api(planets).get(key.name, context.limits());
        if (!again) return fail(again.error());
        return context.update_status(planets, key,
                                     [&](Dynamic& now) { now.set("status.seen", now.text("spec.size")); });
      });
  RunningManager running(manager);
  DynamicApi api(client_, planets);
  Dynamic earth = k8s::make(planets, "earth");
  earth.set("spec.size", "small");
  ASSERT_TRUE(api.create(earth));
  EXPECT_TRUE(eventually([&] { return api.get("earth")->text("status.seen") == "small"; }));
  ASSERT_TRUE(api.merge_patch("earth", {{"spec", {{"size", "large"}}}}));
  EXPECT_TRUE(eventually([&] { return api.get("earth")->text("status.seen") == "large"; }));
  ASSERT_TRUE(api.remove("earth"));
  EXPECT_TRUE(eventually([&] { return count("earth gone") == 1; }));
  EXPECT_EQ(count("earth small"), 1);
  EXPECT_EQ(count("earth large"), 1);
}

TEST_F(DynamicControllerTest, SharesInformersWithTypedOnes) {
  gears_served_ = true;
  Manager manager(client_);
  // A typed controller that owns a kind from the run time, and one of the run time that owns a typed kind.
  manager.controller<Widget>("typed").owns(gears).reconcile(
      [&](const Context&, const Widget& widget) -> Result<Requeue> {
        saw("typed " + std::string(widget.color()));
        return done();
      });
  manager.controller("untyped", {widget_kind, "widgets", Scope::namespaced})
      .owns<k8s::ConfigMap>()
      .reconcile([&](const Context& context, const Dynamic& widget) -> Result<Requeue> {
        saw("untyped " + std::string(widget.text("spec.color")));
        return context.update_status<Widget>(context.key(),
                                             [](Widget& now) { now.set("status.color", now.color()); });
      });
  RunningManager running(manager);
  Api<Widget> api(client_, "a");
  const auto widget = api.create(testing::widget("w", "blue"));
  ASSERT_TRUE(widget);
  EXPECT_TRUE(eventually([&] { return count("typed blue") > 0 && count("untyped blue") > 0; }));
  EXPECT_TRUE(eventually([&] { return api.get("w")->text("status.color") == "blue"; }));
  Dynamic gear = k8s::make(gears, "g", "a");
  ASSERT_TRUE(gear.set_owner(*widget));
  const std::size_t before = count("typed blue");
  ASSERT_TRUE(DynamicApi(client_, gears).create(gear));
  EXPECT_TRUE(eventually([&] { return count("typed blue") > before; }));
}

}  // namespace
}  // namespace fairway::kube
