// SPDX-License-Identifier: Apache-2.0

// Informers and controllers of a kind with quarantined objects: those that do not convert, and have no
// content.
#include "k8s/quarantine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "kube/controller/finalizer.h"
#include "kube/controller_kinds.h"
#include "kube/internal/informer/informer_cache.h"
#include "kube/memory_api.h"
#include "support/eventually.h"
#include "support/is_ok.h"

namespace fairway::kube {
namespace {

using fairway::testing::eventually;
using testing::MemoryApi;
using testing::RunningManager;
using testing::Widget;
using testing::widget;
using Texts = std::vector<std::string>;

/// Records what handlers and reconciles were told.
class Record {
 public:
  void add(const std::string& what) {
    const std::lock_guard lock(mutex_);
    told_.push_back(what);
  }
  Texts told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  std::size_t count(const std::string& what) const {
    return static_cast<std::size_t>(std::ranges::count(told(), what));
  }

 private:
  mutable std::mutex mutex_;
  Texts told_;
};

/// An object as a server sends it; without a color it is quarantined.
k8s::Dynamic sent(const std::string& name, int version, std::string_view color,
                  const std::string& uid = "1") {
  k8s::Dynamic object = widget(name, color);
  object.set("metadata.uid", uid);
  object.set_resource_version(std::to_string(version));
  if (color.empty()) {
    object.erase("spec");
    object.set_annotation(k8s::quarantined_annotation, "{}");
  }
  return object;
}

class QuarantineCache : public ::testing::Test {
 protected:
  explicit QuarantineCache(bool include = false)
      : cache({.include_quarantined = include}, ObjectType::of<Widget>(), 1, metrics_) {
    cache.add_handler({.added = [this](const auto& object, bool) { told_.add("+" + text(*object)); },
                       .updated = [this](const auto& before,
                                         const auto& now) { told_.add(text(*before) + ">" + text(*now)); },
                       .deleted = [this](const auto& last) { told_.add("-" + text(*last)); }});
  }

  void list(std::vector<k8s::Dynamic> objects) {
    Listed listed{.made_as = cache.type()};
    for (k8s::Dynamic& object : objects) cache.add_to(listed, std::move(object));
    cache.replace("", std::move(listed), std::exchange(first_, false));
  }
  /// Delivers what is due, and checks all that was told so far.
  void expect_told(const Texts& expected) {
    // The end of it: handlers are called in order.
    cache.put(sent("end", ++ends_, "red"));
    const std::string end =
        ends_ == 1 ? "+end1red"
                   : "end" + std::to_string(ends_ - 1) + "red>end" + std::to_string(ends_) + "red";
    std::jthread delivering([this](const std::stop_token& stop) { cache.deliveries().run(stop); });
    EXPECT_TRUE(eventually([&] { return told_.count(end) == 1; }));
    Texts told = told_.told();
    std::erase_if(told, [](const std::string& one) { return one.contains("end"); });
    EXPECT_EQ(told, expected);
  }
  bool quarantined(const std::string& name) const { return cache.is_quarantined({"a", name}); }
  SharedObject known(const std::string& name) const { return cache.store().find({"a", name}); }

 private:
  static std::string text(const k8s::Dynamic& object) {
    return std::string(object.name()) + std::string(object.resource_version()) +
           std::string(object.text("spec.color", "?"));
  }

  InformerMetrics metrics_{nullptr, {}};
  bool first_ = true;
  int ends_ = 0;
  Record told_;

 protected:
  InformerCache cache;
};

TEST_F(QuarantineCache, LeavesOutWhatItNeverKnew) {
  list({sent("w", 1, "red"), sent("q", 2, "")});
  EXPECT_TRUE(quarantined("q"));
  EXPECT_FALSE(quarantined("w"));
  EXPECT_EQ(known("q"), nullptr);
  cache.put(sent("q", 3, ""));
  cache.put(sent("r", 4, ""));
  EXPECT_EQ(cache.quarantined(), 2);
  cache.erase(sent("r", 5, ""));
  EXPECT_EQ(cache.quarantined(), 1);
  cache.put(sent("q", 6, "blue"));
  EXPECT_FALSE(quarantined("q"));
  expect_told({"+w1red", "+q6blue"});
}

TEST_F(QuarantineCache, KeepsWhatItKnewAndMakesUpNoDeletion) {
  list({sent("w", 1, "red"), sent("v", 2, "red")});
  cache.put(sent("w", 3, ""));
  EXPECT_TRUE(quarantined("w"));
  ASSERT_NE(known("w"), nullptr);
  EXPECT_EQ(known("w")->resource_version(), "1");
  // A new list, in which the version is that of before: only the converter has changed.
  list({sent("w", 3, ""), sent("v", 2, "")});
  EXPECT_TRUE(quarantined("v"));
  EXPECT_EQ(known("v")->text("spec.color"), "red");
  list({sent("w", 4, "green"), sent("v", 2, "red")});
  EXPECT_EQ(cache.quarantined(), 0);
  expect_told({"+v2red", "+w1red", "w1red>w4green"});
}

TEST_F(QuarantineCache, TellsOfDeletionsThatHappened) {
  list({sent("w", 1, "red"), sent("v", 2, "red"), sent("u", 3, "red"), sent("q", 4, "")});
  cache.put(sent("w", 5, ""));
  cache.erase(sent("w", 6, ""));  // while it was quarantined
  EXPECT_FALSE(quarantined("w"));
  cache.put(sent("v", 7, "", "2"));  // another one of its name
  EXPECT_TRUE(quarantined("v"));
  EXPECT_EQ(known("v"), nullptr);
  cache.put(sent("u", 8, ""));
  list({sent("v", 7, "", "2")});  // u and q are gone, and nobody knew q
  EXPECT_EQ(cache.quarantined(), 1);
  expect_told({"+u3red", "+v2red", "+w1red", "-w1red", "-v2red", "-u3red"});
}

class IncludingQuarantineCache : public QuarantineCache {
 protected:
  IncludingQuarantineCache() : QuarantineCache(true) {}
};

TEST_F(IncludingQuarantineCache, HasThemIfAskedTo) {
  list({sent("w", 1, "red"), sent("q", 2, "")});
  cache.put(sent("w", 3, ""));
  EXPECT_FALSE(quarantined("q"));
  expect_told({"+q2?", "+w1red", "w1red>w3?"});
}

class QuarantineController : public ::testing::Test {
 protected:
  void enter(const std::string& name) {
    ASSERT_OK(widgets.merge_patch(
        name, {{"metadata", {{"annotations", {{k8s::quarantined_annotation, "{}"}}}}}, {"spec", nullptr}}));
  }
  static Texts sorted(Texts texts) {
    std::ranges::sort(texts);
    return texts;
  }

  MemoryApi server;
  std::shared_ptr<Client> client = server.client();
  Api<Widget> widgets{client, "a"};
  Record record;
};

TEST_F(QuarantineController, DoesNotReconcileNorFinalizeNorTakeForDeleted) {
  for (const char* name : {"kept", "late"}) ASSERT_OK(widgets.create(widget(name)));
  enter("late");
  Manager manager(client);
  manager.controller<Widget>("by-key").reconcile(
      [&](const Context& context, const Key&, const std::shared_ptr<const Widget>& w) -> Result<Requeue> {
        record.add("key " + context.key().name + " " + std::string(w ? w->color() : "gone"));
        return done();
      });
  kube::Trigger poke;
  manager.controller<Widget>("finalizing")
      .on(poke)
      .reconcile([&](const Context& context, const Widget& w) -> Result<Requeue> {
        const auto state = finalize(context.client(), w, "example.com/f", [&]() -> Result<void> {
          record.add("cleaned " + context.key().name);
          return {};
        });
        if (!state) return fail(state.error());
        record.add("finalizing " + context.key().name + " " + std::string(w.color()));
        return done();
      });
  manager.controller<Widget>("asking").include_quarantined().reconcile(
      [&](const Context& context, const Widget& w) -> Result<Requeue> {
        if (k8s::is_quarantined(w)) record.add("asked " + context.key().name);
        return done();
      });
  RunningManager running(manager);
  EXPECT_TRUE(eventually([&] { return record.count("finalizing kept red") > 0; }));
  EXPECT_TRUE(eventually([&] { return record.count("asked late") > 0; }));
  EXPECT_TRUE(eventually([&] { return widgets.get("kept")->has_finalizer("example.com/f"); }));

  enter("kept");
  EXPECT_TRUE(eventually([&] { return record.count("asked kept") > 0; }));
  const Informer<Widget> informer = manager.informers().get<Widget>();
  EXPECT_TRUE(eventually([&] { return informer.is_quarantined({"a", "kept"}); }));
  // It is as it was, and one that never was there is not taken for deleted.
  EXPECT_EQ(informer.find({"a", "kept"}).value()->color(), "red");
  const auto late = informer.find({"a", "late"});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(late.error().message.contains("a/late from its informer: it is quarantined"))
      << late.error().message;
  const std::size_t before = record.count("finalizing kept red");
  ASSERT_OK(widgets.remove("kept"));
  for (const char* name : {"kept", "late"}) poke.fire({"a", name});
  // Behind these, in a queue of one worker.
  ASSERT_OK(widgets.create(widget("last")));
  EXPECT_TRUE(eventually([&] { return record.count("finalizing last red") > 0; }));
  EXPECT_EQ(record.count("cleaned kept"), 0);
  EXPECT_EQ(record.count("key kept gone"), 0);
  EXPECT_EQ(record.count("key late gone"), 0);
  EXPECT_EQ(record.count("finalizing kept red"), before);
  EXPECT_TRUE(widgets.get("kept")->is_being_deleted());
  EXPECT_TRUE(manager.metrics_text().contains("fairway_informer_quarantined_objects{"))
      << manager.metrics_text();

  // It converts again: the deletion is seen, and the cleanup runs.
  ASSERT_OK(
      widgets.merge_patch("kept", {{"metadata", {{"annotations", nullptr}}}, {"spec", {{"color", "blue"}}}}));
  EXPECT_TRUE(eventually([&] { return record.count("cleaned kept") == 1; }));
  EXPECT_TRUE(eventually([&] { return record.count("key kept gone") == 1; }));
  EXPECT_TRUE(running.stop());
}

TEST_F(QuarantineController, FinalizesNoQuarantinedObjectThatItWasGiven) {
  k8s::Dynamic object = sent("w", 1, "");
  object.add_finalizer("example.com/f");
  object.set("metadata.deletionTimestamp", "2026-01-01T00:00:00Z");
  const auto state = finalize(*client, Widget::resource.group_version_resource(), object, "example.com/f",
                              [&]() -> Result<void> {
                                record.add("cleaned");
                                return {};
                              });
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ErrorCode::conflict);
  EXPECT_EQ(record.count("cleaned"), 0);
}

}  // namespace
}  // namespace fairway::kube
