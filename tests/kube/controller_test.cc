// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "kube/controller/finalizer.h"
#include "kube/controller_kinds.h"
#include "kube/memory_api.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using fairway::testing::eventually;
using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::MemoryApi;
using testing::RunningManager;
using testing::Widget;
using testing::widget;

class ControllerTest : public ::testing::Test {
 protected:
  /// Records what a reconcile saw: "a/w red", or "a/w gone".
  void saw(const Key& key, std::string_view what) {
    const std::lock_guard lock(mutex_);
    seen_.push_back(key.to_string() + " " + std::string(what));
  }
  std::vector<std::string> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::size_t count(const std::string& what) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count(seen_, what));
  }
  std::string metric(Manager& manager, const std::string& series) {
    const std::string text = manager.metrics_text();
    const std::size_t at = text.find("\n" + series + " ");
    if (at == std::string::npos) return "absent";
    const std::size_t begin = at + series.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  MemoryApi server_;
  std::shared_ptr<Client> client_ = server_.client();
  Api<Widget> widgets_{client_, "a"};

 private:
  std::mutex mutex_;
  std::vector<std::string> seen_;
};

TEST_F(ControllerTest, LooksAtWhatIsThereAndAtWhatChanges) {
  ASSERT_TRUE(widgets_.create(widget("old", "red")));
  Manager manager(client_);
  manager.controller<Widget>("widgets").reconcile(
      [&](const Context& context, const Key& key, const std::shared_ptr<const Widget>& w) -> Result<Requeue> {
        EXPECT_EQ(context.key(), key);
        saw(key, w ? w->color() : "gone");
        return done();
      });
  RunningManager running(manager);
  EXPECT_TRUE(eventually([&] { return count("a/old red") == 1; }));
  ASSERT_TRUE(widgets_.create(widget("new", "blue")));
  EXPECT_TRUE(eventually([&] { return count("a/new blue") == 1; }));
  ASSERT_TRUE(widgets_.merge_patch("old", {{"spec", {{"color", "green"}}}}));
  EXPECT_TRUE(eventually([&] { return count("a/old green") == 1; })) << ::testing::PrintToString(seen());
  ASSERT_TRUE(widgets_.remove("old"));
  EXPECT_TRUE(eventually([&] { return count("a/old gone") == 1; }));
  EXPECT_TRUE(running.stop());
  EXPECT_EQ(seen().size(), 4);
}

TEST_F(ControllerTest, LeavesOutWhatIsGoneWhereTheReconcileTakesAnObject) {
  Manager manager(client_);
  manager.controller<Widget>("widgets").reconcile(
      [&](const Context& context, const Widget& w) -> Result<Requeue> {
        saw(context.key(), w.color());
        return done();
      });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("w")));
  EXPECT_TRUE(eventually([&] { return count("a/w red") == 1; }));
  ASSERT_TRUE(widgets_.remove("w"));
  EXPECT_TRUE(eventually([&] {
    return metric(manager, R"(controller_runtime_reconcile_total{controller="widgets",result="success"})") ==
           "2";
  }));
  EXPECT_EQ(seen().size(), 1);
}

TEST_F(ControllerTest, MakesAnewWhatItOwns) {
  Manager manager(client_);
  manager.controller<Widget>("widgets").owns<k8s::ConfigMap>().reconcile(
      [&](const Context& context, const Widget& w) -> Result<Requeue> {
        saw(context.key(), "looked at");
        auto owned = k8s::make<k8s::ConfigMap>("of-" + std::string(w.name()), w.namespace_name());
        owned.set_data("color", w.color());
        if (auto set = owned.set_owner(w); !set) return fail(set.error());
        const auto created = context.api<k8s::ConfigMap>().create(owned, {}, context.limits());
        if (!created && !created.error().is_already_exists()) return fail(created.error());
        return done();
      });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("w")));
  Api<k8s::ConfigMap> owned(client_, "a");
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(eventually([&] { return owned.get("of-w").has_value(); }));
    ASSERT_TRUE(owned.remove("of-w"));
  }
  ASSERT_TRUE(eventually([&] { return owned.get("of-w").has_value(); }));
  // What another kind, or nobody, owns concerns nobody here.
  const std::size_t before = seen().size();
  ASSERT_TRUE(owned.create(k8s::make<k8s::ConfigMap>("free", "a")));
  ASSERT_TRUE(widgets_.create(widget("last")));
  ASSERT_TRUE(eventually([&] { return count("a/last looked at") > 0; }));
  EXPECT_EQ(count("a/w looked at") + count("a/last looked at"), seen().size());
  EXPECT_GT(before, 3);
}

TEST_F(ControllerTest, SeesItsOwnWritesAtTheNextLook) {
  // The informer hears of nothing while its watch is held back: a find that did not wait would read as
  // absent.
  std::atomic<int> stale = 0, looked = 0;
  Manager manager(client_);
  manager.controller<Widget>("widgets").reconcile(
      [&](const Context& context, const Widget& w) -> Result<Requeue> {
        const std::string name = "of-" + std::string(w.name()) + "-" + std::to_string(looked);
        const auto maps = context.informers().get<k8s::ConfigMap>();
        auto created = context.api<k8s::ConfigMap>().create(k8s::make<k8s::ConfigMap>(name, "a"));
        if (!created) return fail(created.error());
        const auto found = maps.find({"a", name}, context.limits());
        if (!found) return fail(found.error());
        if (!*found || (*found)->resource_version() != created->resource_version()) ++stale;
        auto changed = context.api<k8s::ConfigMap>().merge_patch(name, {{"data", {{"k", "v"}}}});
        if (!changed) return fail(changed.error());
        if (maps.find({"a", name}).value()->data().find("k") != "v") ++stale;
        if (auto removed = context.api<k8s::ConfigMap>().remove(name); !removed) return fail(removed.error());
        if (maps.find({"a", name}).value()) ++stale;
        return ++looked < 50 ? requeue_after(std::chrono::nanoseconds(1)) : done();
      });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("w")));
  EXPECT_TRUE(eventually([&] { return looked >= 50; }));
  EXPECT_EQ(stale, 0);
}

TEST_F(ControllerTest, WritesTheStatusOfWhatItHasSeen) {
  Manager manager(client_);
  manager.controller<Widget>("widgets").reconcile([&](const Context& context,
                                                      const Widget& w) -> Result<Requeue> {
    return context.update_status<Widget>(w.key(), [&](Widget& now) { now.set("status.color", w.color()); });
  });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("w")));
  ASSERT_TRUE(eventually([&] { return widgets_.get("w").value().text("status.color") == "red"; }));
  ASSERT_TRUE(widgets_.merge_patch("w", {{"spec", {{"color", "blue"}}}}));
  EXPECT_TRUE(eventually([&] { return widgets_.get("w").value().text("status.color") == "blue"; }));
}

TEST_F(ControllerTest, WritesTheStatusOfWhatATransformHasReduced) {
  Manager manager(client_);
  manager.controller<Widget>("widgets")
      .of({.transform = only_fields({"spec"})})
      .reconcile([&](const Context& context, const Widget& w) -> Result<Requeue> {
        const auto state = finalize(
            context.client(), w, "example.com/paint", []() -> Result<void> { return {}; }, context.limits());
        if (!state) return fail(state.error());
        saw(context.key(), *state == FinalizerState::present ? w.color() : "finished");
        if (*state == FinalizerState::finished) return done();
        return context.update_status<Widget>(w, [&](Widget& now) { now.set("status.color", w.color()); });
      });
  RunningManager running(manager);
  auto one = widget("w");
  one.add_finalizer("example.com/other");
  ASSERT_TRUE(widgets_.create(one));
  EXPECT_TRUE(eventually([&] { return widgets_.get("w").value().text("status.color") == "red"; }));
  ASSERT_TRUE(widgets_.merge_patch("w", {{"spec", {{"color", "blue"}}}}));
  EXPECT_TRUE(eventually([&] { return widgets_.get("w").value().text("status.color") == "blue"; }));
  EXPECT_TRUE(widgets_.get("w")->has_finalizer("example.com/other")) << "others' finalizers stay";
  ASSERT_TRUE(widgets_.remove("w"));
  EXPECT_TRUE(eventually([&] { return count("a/w finished") > 0; })) << ::testing::PrintToString(seen());
  EXPECT_TRUE(widgets_.get("w")->has_finalizer("example.com/other"));
}

TEST_F(ControllerTest, LooksAtChangesBeforeWhatAResyncBrings) {
  FakeClock clock;
  const auto client = server_.client(&clock);
  for (const char* name : {"w0", "w1", "w2", "w3"}) ASSERT_TRUE(widgets_.create(widget(name)));
  ManagerOptions options;
  options.informers.resync = std::chrono::seconds(1);
  Manager manager(client, std::move(options));
  // One reconcile holds the only worker until a resync and then a change are queued.
  std::atomic<bool> hold = false, held = false, told = false;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  manager.controller<Widget>("widgets").reconcile(
      [&](const Context& context, const Widget& w) -> Result<Requeue> {
        saw(context.key(), w.color());
        if (hold.exchange(false)) {
          held = true;
          released.wait();
        }
        return done();
      });
  RunningManager running(manager);
  EXPECT_TRUE(eventually([&] { return seen().size() == 4; }));
  hold = true;
  EXPECT_TRUE(widgets_.merge_patch("w0", {{"spec", {{"color", "green"}}}}));
  EXPECT_TRUE(eventually([&] { return held.load(); }));
  EXPECT_TRUE(eventually([&] {
    clock.advance(std::chrono::seconds(1));
    return metric(manager, R"(workqueue_depth{controller="widgets",name="widgets"})") == "4";
  }));
  // Called after the controller's handler.
  manager.informers().get<Widget>().add_handler({.updated = [&](const auto&, const auto& now) {
    if (now->name() == "w3" && now->color() == "blue") told = true;
  }});
  EXPECT_TRUE(widgets_.merge_patch("w3", {{"spec", {{"color", "blue"}}}}));
  EXPECT_TRUE(eventually([&] { return told.load(); }));
  release.set_value();
  EXPECT_TRUE(eventually([&] { return seen().size() >= 9; }));
  const auto all = seen();
  const auto at = std::ranges::find(all, "a/w0 green");
  ASSERT_LT(at - all.begin() + 1, static_cast<std::ptrdiff_t>(all.size()));
  EXPECT_EQ(*(at + 1), "a/w3 blue") << ::testing::PrintToString(all);
}

TEST_F(ControllerTest, IsNotHeldUpByItsOwnKindWhereThatIsNotServed) {
  std::atomic<bool> served = false;
  server_.intercept([&](const http::Request& request) {
    return !served && request.path.find("widgets") != std::string_view::npos ? 404 : 0;
  });
  ManagerOptions options;
  options.informers.timings.served_check_interval = milliseconds(5);
  Manager manager(client_, std::move(options));
  const auto looks = [&](const Context& context, const Widget& w) -> Result<Requeue> {
    saw(context.key(), w.color());
    return done();
  };
  manager.controller<Widget>("before").if_served().of({.namespaces = {"a"}}).reconcile(looks);
  manager.controller<Widget>("after").of({.namespaces = {"a", "b"}}).if_served().reconcile(looks);
  std::atomic<bool> runs = false;
  manager.add("runs", [&](const std::stop_token&) -> Result<void> {
    runs = true;
    return {};
  });
  RunningManager running(manager);
  ASSERT_TRUE(eventually([&] { return runs.load(); })) << "the first lists did not come";
  served = true;
  ASSERT_TRUE(widgets_.create(widget("w")));
  EXPECT_TRUE(eventually([&] { return count("a/w red") == 2; }));
}

TEST_F(ControllerTest, LooksAtObjectsWhenATriggerIsFired) {
  const Trigger acknowledged;
  Manager manager(client_);
  manager.controller<Widget>("widgets")
      .on(acknowledged)
      .reconcile(
          [&](const Context&, const Key& key, const std::shared_ptr<const Widget>& w) -> Result<Requeue> {
            saw(key, w ? w->color() : "gone");
            return done();
          });
  acknowledged.fire({"a", "early"});  // no controller runs: it looks at everything when it begins
  {
    RunningManager running(manager);
    ASSERT_TRUE(widgets_.create(widget("one")));
    ASSERT_TRUE(widgets_.create(widget("two", "blue")));
    ASSERT_TRUE(eventually([&] { return seen().size() == 2; }));
    acknowledged.fire({"a", "one"});
    EXPECT_TRUE(eventually([&] { return count("a/one red") == 2; }));
    acknowledged.fire({"a", "none"});
    EXPECT_TRUE(eventually([&] { return count("a/none gone") == 1; }));
    acknowledged.fire_all();
    EXPECT_TRUE(eventually([&] { return count("a/one red") == 3 && count("a/two blue") == 2; }));
    EXPECT_TRUE(running.stop());
  }
  acknowledged.fire_all();
  EXPECT_EQ(seen().size(), 6);
}

TEST_F(ControllerTest, IsNotHeldUpByAKindThatIsNotServed) {
  std::atomic<bool> served = false;
  server_.intercept([&](const http::Request& request) {
    return !served && request.path.find("configmaps") != std::string_view::npos ? 404 : 0;
  });
  ManagerOptions options;
  options.informers.timings.served_check_interval = milliseconds(5);
  Manager manager(client_, std::move(options));
  manager.controller<Widget>("widgets")
      .watches<k8s::ConfigMap>([](const k8s::ConfigMap& map) -> std::vector<Key> {
        return {{"a", std::string(map.data().find("for").value_or(""))}};
      })
      .if_served()
      .reconcile([&](const Context& context, const Widget&) -> Result<Requeue> {
        const auto maps = context.informers().get<k8s::ConfigMap>({.if_served = true});
        const auto map = maps.find({"a", "m"}, context.limits());
        if (!map) return fail(map.error());
        saw(context.key(), maps.is_served() ? (*map ? "with" : "without") : "not served");
        return done();
      });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("w")));
  ASSERT_TRUE(eventually([&] { return count("a/w not served") > 0; }));
  served = true;
  Api<k8s::ConfigMap> maps(client_, "a");
  auto map = k8s::make<k8s::ConfigMap>("m", "a");
  map.set_data("for", "w");
  ASSERT_TRUE(maps.create(map));
  EXPECT_TRUE(eventually([&] { return count("a/w with") > 0; })) << ::testing::PrintToString(seen());
}

TEST_F(ControllerTest, FollowsTheMetadataOfWhatItOwnsAndWatches) {
  std::atomic<int> whole = 0;
  const auto counts_whole = [&whole](const k8s::Dynamic& now) {
    if (now.kind() != "PartialObjectMetadata" || now.has("data")) ++whole;
    return true;
  };
  Manager manager(client_);
  manager.controller<Widget>("widgets")
      .owns_metadata<k8s::ConfigMap>(counts_whole)
      .watches_metadata<k8s::Secret>(
          [](const k8s::PartialObjectMetadata& secret) -> std::vector<Key> {
            return {{"a", std::string(secret.label("for"))}};
          },
          counts_whole)
      .reconcile([&](const Context& context, const Widget& w) -> Result<Requeue> {
        saw(context.key(), w.color());
        return done();
      });
  RunningManager running(manager);
  const auto made = widgets_.create(widget("w"));
  ASSERT_TRUE(made);
  ASSERT_TRUE(eventually([&] { return count("a/w red") == 1; }));
  auto map = k8s::make<k8s::ConfigMap>("m", "a");
  map.set_data("k", "v");
  ASSERT_TRUE(map.set_owner(*made));
  ASSERT_TRUE(Api<k8s::ConfigMap>(client_, "a").create(map));
  EXPECT_TRUE(eventually([&] { return count("a/w red") == 2; }));
  auto secret = k8s::make<k8s::Secret>("s", "b");
  secret.set_data("k", "v");
  secret.set_label("for", "w");
  ASSERT_TRUE(Api<k8s::Secret>(client_, "b").create(secret));
  EXPECT_TRUE(eventually([&] { return count("a/w red") == 3; }));
  EXPECT_EQ(whole, 0);
}

TEST_F(ControllerTest, LooksAtObjectsOfItsNamespacesOnly) {
  const Trigger trigger;
  Manager manager(client_);
  manager.controller<Widget>("widgets")
      .of({.namespaces = {"a", "b"}})
      .watches<k8s::ConfigMap>([](const k8s::ConfigMap& map) -> std::vector<Key> {
        return {{"c", "w"}, {std::string(map.namespace_name()), "none"}};
      })
      .on(trigger)
      .reconcile(
          [&](const Context&, const Key& key, const std::shared_ptr<const Widget>& w) -> Result<Requeue> {
            saw(key, w ? w->color() : "gone");
            return done();
          });
  RunningManager running(manager);
  for (const char* space : {"a", "b", "c"}) {
    auto made = k8s::make<Widget>("w", space);
    ASSERT_TRUE(Api<Widget>(client_, space).create(made));
  }
  ASSERT_TRUE(eventually([&] { return count("a/w red") > 0 && count("b/w red") > 0; }));
  ASSERT_TRUE(Api<k8s::ConfigMap>(client_, "c").create(k8s::make<k8s::ConfigMap>("m", "c")));
  trigger.fire({"c", "w"});
  ASSERT_TRUE(Api<k8s::ConfigMap>(client_, "b").create(k8s::make<k8s::ConfigMap>("m", "b")));
  ASSERT_TRUE(eventually([&] { return count("b/none gone") == 1; }));
  EXPECT_NE(
      manager.metrics_text().find("controller_runtime_reconcile_errors_total{controller=\"widgets\"} 0"),
      std::string::npos)
      << manager.metrics_text();
  for (const std::string& what : seen()) EXPECT_FALSE(what.starts_with("c/")) << what;
}

TEST_F(ControllerTest, JoinsChangesWithinTheDebounce) {
  FakeClock clock;
  auto client = server_.client(&clock);
  Manager manager(client);
  manager.controller<Widget>("widgets")
      .debounce(milliseconds(50))
      .reconcile([&](const Context& context, const Widget& w) -> Result<Requeue> {
        saw(context.key(), w.color());
        return done();
      });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("first")));
  const auto informer = manager.informers().get<Widget>();
  ASSERT_TRUE(eventually([&] { return informer.size() == 1; }));
  for (const char* color : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(widgets_.merge_patch("first", {{"spec", {{"color", color}}}}));
  }
  ASSERT_TRUE(eventually([&] {
    const auto now = informer.cached();
    return now.size() == 1 && now[0]->color() == "d";
  }));
  ASSERT_TRUE(eventually([&] {
    clock.advance(milliseconds(50));
    return count("a/first d") > 0;
  }));
  EXPECT_LE(seen().size(), 2) << ::testing::PrintToString(seen());
}

TEST(OwnerKeys, AreOfTheControllerOfThatKindAndGroup) {
  auto owner = widget("w");
  owner.set("metadata.uid", "u");
  auto owned = k8s::make<k8s::ConfigMap>("c", "a");
  EXPECT_TRUE(owner_keys(owned, Widget::resource).empty());
  ASSERT_TRUE(owned.set_owner(owner));
  EXPECT_EQ(owner_keys(owned, Widget::resource), std::vector<Key>{(Key{"a", "w"})});
  EXPECT_EQ(owner_keys(owned, {"widgets.example.com", "v2", "Widget", "widgets"}).size(), 1)
      << "the version does not matter";
  EXPECT_TRUE(owner_keys(owned, {"other.example.com", "v1", "Widget", "widgets"}).empty());
  EXPECT_TRUE(owner_keys(owned, {"widgets.example.com", "v1", "Gadget", "gadgets"}).empty());
  EXPECT_EQ(owner_keys(owned, {"widgets.example.com", "v1", "Widget", "widgets", k8s::Scope::cluster}),
            std::vector<Key>{(Key{"", "w"})});
  auto shared = k8s::make<k8s::ConfigMap>("c", "a");
  ASSERT_TRUE(shared.set_owner(owner, false));
  EXPECT_TRUE(owner_keys(shared, Widget::resource).empty()) << "an owner that is no controller";
}

TEST_F(ControllerTest, LooksAtObjectsThatOthersNameBeforeAndAfterAChange) {
  Manager manager(client_);
  manager.controller<Widget>("widgets")
      .watches<k8s::ConfigMap>([](const k8s::ConfigMap& map) -> std::vector<Key> {
        return {{"a", std::string(map.data().find("for").value_or("nobody"))}};
      })
      .reconcile(
          [&](const Context&, const Key& key, const std::shared_ptr<const Widget>& w) -> Result<Requeue> {
            saw(key, w ? w->color() : "gone");
            return done();
          });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("one")));
  ASSERT_TRUE(widgets_.create(widget("two")));
  ASSERT_TRUE(eventually([&] { return count("a/one red") == 1 && count("a/two red") == 1; }));
  Api<k8s::ConfigMap> maps(client_, "a");
  auto map = k8s::make<k8s::ConfigMap>("m", "a");
  map.set_data("for", "one");
  ASSERT_TRUE(maps.create(map));
  ASSERT_TRUE(eventually([&] { return count("a/one red") == 2; }));
  ASSERT_TRUE(maps.merge_patch("m", {{"data", {{"for", "two"}}}}));
  EXPECT_TRUE(eventually([&] { return count("a/one red") == 3 && count("a/two red") == 2; }));
  ASSERT_TRUE(maps.remove("m"));
  EXPECT_TRUE(eventually([&] { return count("a/two red") == 3; }));
}

TEST_F(ControllerTest, OverlooksChangesThatAPredicateDoesNotLetThrough) {
  Manager manager(client_);
  manager.controller<Widget>("widgets")
      .when(generation_changed)
      .reconcile([&](const Context& context, const Widget& w) -> Result<Requeue> {
        saw(context.key(), w.color());
        return done();
      });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("w")));
  ASSERT_TRUE(eventually([&] { return seen().size() == 1; }));
  ASSERT_TRUE(widgets_.merge_patch_status("w", {{"status", {{"ready", true}}}}));
  ASSERT_TRUE(widgets_.merge_patch("w", {{"metadata", {{"labels", {{"x", "y"}}}}}}));
  ASSERT_TRUE(widgets_.merge_patch("w", {{"spec", {{"color", "blue"}}}}));
  ASSERT_TRUE(eventually([&] { return count("a/w blue") == 1; })) << ::testing::PrintToString(seen());
  EXPECT_EQ(seen().size(), 2);
}

TEST_F(ControllerTest, TriesAgainAfterErrorsAndExceptionsAndNotAfterGivingUp) {
  std::atomic<int> tries = 0;
  Manager manager(client_);
  manager.controller<Widget>("widgets").reconcile(
      [&](const Context& context, const Widget& w) -> Result<Requeue> {
        if (w.name() == "hopeless") {
          saw(context.key(), "given up");
          return give_up({ErrorCode::invalid, "there is no such color"});
        }
        switch (++tries) {
          case 1:
            return fail(ErrorCode::unavailable, "no paint");
          case 2:
            throw std::runtime_error("a bug");
          case 3:
            throw 3;
          case 4:
            return requeue_with_backoff();
          default:
            saw(context.key(), "painted");
            return done();
        }
      });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("hopeless")));
  ASSERT_TRUE(eventually([&] { return count("a/hopeless given up") == 1; }));
  ASSERT_TRUE(widgets_.create(widget("w")));
  ASSERT_TRUE(eventually([&] { return count("a/w painted") == 1; }));
  const auto total = [&](const std::string& result) {
    return metric(manager,
                  R"(controller_runtime_reconcile_total{controller="widgets",result=")" + result + "\"}");
  };
  const auto of_controller = [&](const std::string& name) {
    return metric(manager, name + R"({controller="widgets"})");
  };
  EXPECT_TRUE(eventually([&] { return total("success") == "1"; }));
  EXPECT_EQ(total("error"), "4");
  EXPECT_EQ(total("requeue"), "1");
  EXPECT_EQ(of_controller("controller_runtime_reconcile_errors_total"), "4");
  EXPECT_EQ(of_controller("controller_runtime_terminal_reconcile_errors_total"), "1");
  EXPECT_EQ(of_controller("controller_runtime_reconcile_panics_total"), "2");
  EXPECT_EQ(of_controller("controller_runtime_max_concurrent_reconciles"), "1");
  EXPECT_EQ(of_controller("controller_runtime_reconcile_time_seconds_count"), "6");
  EXPECT_EQ(metric(manager, R"(workqueue_retries_total{controller="widgets",name="widgets"})"), "4");
  EXPECT_EQ(count("a/hopeless given up"), 1);
  EXPECT_EQ(tries, 5);
}

TEST_F(ControllerTest, LooksAgainWhenItIsTimeAndAtEverythingNowAndThen) {
  FakeClock clock;
  const auto client = server_.client(&clock);
  Manager manager(client);
  manager.controller<Widget>("later").reconcile(
      [&](const Context& context, const Widget&) -> Result<Requeue> {
        saw(context.key(), "later");
        return requeue_after(minutes(10));
      });
  manager.controller<Widget>("often")
      .resync(minutes(30))
      .reconcile([&](const Context& context, const Widget&) -> Result<Requeue> {
        saw(context.key(), "often");
        return done();
      });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("w")));
  ASSERT_TRUE(eventually([&] { return count("a/w later") == 1 && count("a/w often") == 1; }));
  clock.wait_for_waiters(2);  // the delay and the resync
  clock.advance(minutes(10) - milliseconds(1));
  EXPECT_EQ(count("a/w later"), 1);
  clock.advance(milliseconds(1));
  ASSERT_TRUE(eventually([&] { return count("a/w later") == 2; }));
  clock.wait_for_waiters(2);
  clock.advance(minutes(24));  // the resync is a tenth early or late
  ASSERT_TRUE(eventually([&] { return count("a/w often") == 2; }));
}

TEST_F(ControllerTest, NeverLooksAtOneObjectTwiceAtOnce) {
  std::map<std::string, std::atomic<int>> at_work;
  std::atomic<int> most_of_one = 0, most_of_all = 0, now_of_all = 0;
  for (int i = 0; i < 5; ++i) at_work["w" + std::to_string(i)] = 0;
  Manager manager(client_);
  manager.controller<Widget>("widgets").workers(4).reconcile(
      [&](const Context& context, const Widget& w) -> Result<Requeue> {
        std::atomic<int>& here = at_work.at(context.key().name);
        most_of_one = std::max<int>(most_of_one, ++here);
        most_of_all = std::max<int>(most_of_all, ++now_of_all);
        std::this_thread::sleep_for(milliseconds(2));
        --now_of_all;
        --here;
        saw(context.key(), w.color());
        return done();
      });
  RunningManager running(manager);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(widgets_.create(widget("w" + std::to_string(i), "0")));
  for (int round = 1; round <= 40; ++round) {
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(
          widgets_.merge_patch("w" + std::to_string(i), {{"spec", {{"color", std::to_string(round)}}}}));
    }
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(eventually([&] { return count("a/w" + std::to_string(i) + " 40") >= 1; })) << i;
  }
  EXPECT_EQ(most_of_one, 1);
  EXPECT_GT(most_of_all, 1);
}

TEST_F(ControllerTest, CleansUpBeforeAnObjectGoes) {
  Manager manager(client_);
  manager.controller<Widget>("widgets").reconcile(
      [&](const Context& context, const Widget& w) -> Result<Requeue> {
        const auto state = finalize(
            context.client(), w, "widgets.example.com/paint",
            [&]() -> Result<void> {
              saw(context.key(), "cleaned up");
              return {};
            },
            context.limits());
        if (!state) return fail(state.error());
        if (*state == FinalizerState::present) saw(context.key(), "held");
        return done();
      });
  RunningManager running(manager);
  ASSERT_TRUE(widgets_.create(widget("w")));
  ASSERT_TRUE(eventually([&] { return count("a/w held") >= 1; }));
  ASSERT_TRUE(widgets_.get("w")->has_finalizer("widgets.example.com/paint"));
  ASSERT_TRUE(widgets_.remove("w"));
  EXPECT_TRUE(eventually([&] { return !widgets_.get("w").has_value(); }));
  EXPECT_EQ(count("a/w cleaned up"), 1);
}

TEST_F(ControllerTest, SurvivesAFaultInFindingWhomAChangeConcerns) {
  Manager manager(client_);
  manager.controller<Widget>("widgets")
      .watches<k8s::ConfigMap>(
          [](const k8s::ConfigMap&) -> std::vector<Key> { throw std::runtime_error("a bug"); })
      .reconcile([&](const Context& context, const Widget& w) -> Result<Requeue> {
        saw(context.key(), w.color());
        return done();
      });
  RunningManager running(manager);
  ASSERT_TRUE(Api<k8s::ConfigMap>(client_, "a").create(k8s::make<k8s::ConfigMap>("m", "a")));
  ASSERT_TRUE(eventually([&] {
    return metric(manager, R"(controller_runtime_reconcile_panics_total{controller="widgets"})") == "1";
  }));
  ASSERT_TRUE(widgets_.create(widget("w")));
  EXPECT_TRUE(eventually([&] { return count("a/w red") == 1; }));
}

TEST(Predicates, CombineAsTheirNamesSay) {
  k8s::Dynamic before = widget("w");
  before.set("metadata.generation", 1);
  before.set_resource_version("1");
  k8s::Dynamic labelled = before;
  labelled.set_label("x", "y");
  labelled.set_resource_version("2");
  k8s::Dynamic grown = before;
  grown.set("metadata.generation", 2);
  EXPECT_FALSE(generation_changed(before, labelled));
  EXPECT_TRUE(generation_changed(before, grown));
  EXPECT_TRUE(labels_changed(before, labelled));
  EXPECT_TRUE(labels_changed(labelled, before));
  EXPECT_FALSE(labels_changed(before, grown));
  EXPECT_FALSE(annotations_changed(before, labelled));
  EXPECT_TRUE(resource_version_changed(before, labelled));
  EXPECT_FALSE(resource_version_changed(before, before));

  const Predicate either = any_of({generation_changed, labels_changed});
  EXPECT_TRUE(either.on_updated(before, labelled));
  EXPECT_TRUE(either.on_updated(before, grown));
  EXPECT_FALSE(either.on_updated(before, before));
  const Predicate both = all_of({generation_changed, labels_changed});
  EXPECT_FALSE(both.on_updated(before, labelled));
  EXPECT_FALSE(both.on_updated(before, grown));
  EXPECT_TRUE(all_of({}).on_updated(before, before));
  EXPECT_FALSE(any_of({}).on_updated(before, grown));
  const Predicate red([](const k8s::Dynamic& object) { return object.text("spec.color") == "red"; });
  EXPECT_TRUE(red.on_created(before));
  EXPECT_TRUE(red.on_updated(grown, before));
  EXPECT_FALSE(none_of(red).on_deleted(before));
  EXPECT_TRUE(Predicate{}.on_updated(before, before));
  // A Secret counts no generations.
  EXPECT_TRUE(generation_changed(k8s::make<k8s::Secret>("s", "a"), k8s::make<k8s::Secret>("s", "a")));
}

}  // namespace
}  // namespace fairway::kube
