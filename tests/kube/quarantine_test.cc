// SPDX-License-Identifier: Apache-2.0

// Informers and controllers of a kind with quarantined objects: those that do not convert, and have no
// content.
#include "k8s/quarantine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kube/controller/finalizer.h"
#include "kube/controller_kinds.h"
#include "kube/memory_api.h"
#include "kube/quarantined_widgets.h"
#include "support/eventually.h"
#include "support/is_ok.h"

namespace fairway::kube {
namespace {

using fairway::testing::eventually;
using testing::MemoryApi;
using testing::Record;
using testing::RunningManager;
using testing::sent;
using testing::Texts;
using testing::Widget;
using testing::widget;

class QuarantineController : public ::testing::Test {
 protected:
  void enter(const std::string& name) {
    ASSERT_OK(widgets.merge_patch(
        name, {{"metadata",
                {{"annotations", {{k8s::quarantined_annotation, "{}"}, {k8s::original_annotation, "{}"}}}}},
               {"spec", nullptr}}));
  }
  /// A manager of a program that quarantines widgets.
  static ManagerOptions quarantining() {
    ManagerOptions options;
    options.informers.quarantined = [](const k8s::GroupVersionResource& resource) -> IsQuarantined {
      if (resource != Widget::resource.group_version_resource()) return {};
      return [](const k8s::Dynamic& object) { return k8s::has_only_marks(object); };
    };
    return options;
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
  Manager manager(client, quarantining());
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

// A program that quarantines nothing is as it would be without quarantine.
TEST_F(QuarantineController, ReconcilesAllUnlessAskedNotTo) {
  for (const char* name : {"planted", "empty"}) ASSERT_OK(widgets.create(widget(name)));
  ASSERT_OK(widgets.merge_patch(
      "planted",
      {{"metadata",
        {{"annotations", {{k8s::quarantined_annotation, "x"}, {k8s::original_annotation, "x"}}}}}}));
  enter("empty");
  const auto text = [](const char* who, const Widget& w) {
    return std::string(who) + " " + std::string(w.name()) + " " + std::string(w.color());
  };
  Manager manager(client);
  manager.controller<Widget>("plain").reconcile(
      [&](const Context& context, const Widget& w) -> Result<Requeue> {
        const auto state = finalize(context.client(), w, "example.com/f", [] { return Result<void>(); });
        record.add(text(state ? "plain" : "refused", w));
        return done();
      });
  manager.controller<Widget>("asking").leave_out_quarantined().reconcile(
      [&](const Context&, const Widget& w) -> Result<Requeue> {
        record.add(text("asking", w));
        return done();
      });
  RunningManager running(manager);
  for (const char* one : {"plain planted red", "asking planted red", "refused empty red"})
    EXPECT_TRUE(eventually([&] { return record.count(one) > 0; })) << one;
  ASSERT_OK(widgets.merge_patch("planted", {{"spec", {{"color", "blue"}}}}));
  for (const char* one : {"plain planted blue", "asking planted blue"})
    EXPECT_TRUE(eventually([&] { return record.count(one) > 0; })) << one;
  // Behind it, in a queue of one worker.
  ASSERT_OK(widgets.create(widget("last")));
  EXPECT_TRUE(eventually([&] { return record.count("asking last red") > 0; }));
  EXPECT_EQ(record.count("asking empty red"), 0);
  EXPECT_TRUE(running.stop());
}

TEST(Quarantine, IsNeverOneOfTheKindsOfKubernetes) {
  for (const char* group : {"", "apps", "batch", "rbac.authorization.k8s.io", "networking.k8s.io",
                            "flowcontrol.apiserver.k8s.io"})
    EXPECT_FALSE(k8s::may_be_quarantined(group)) << group;
  for (const char* group : {"widgets.example.com", "gateway.networking.k8s.io"})
    EXPECT_TRUE(k8s::may_be_quarantined(group)) << group;
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
  // Beside content, and on an object of Kubernetes itself, the marks are annotations like any other.
  const k8s::GroupVersionResource maps{"", "v1", "configmaps"};
  k8s::Dynamic map = object;
  map.set("apiVersion", "v1");
  map.set("kind", "ConfigMap");
  k8s::Dynamic whole = object;
  whole.set("spec.color", "red");
  for (const auto& [resource, one] :
       {std::pair{maps, map}, {Widget::resource.group_version_resource(), whole}}) {
    const auto cleaned = finalize(*client, resource, one, "example.com/f", [&]() -> Result<void> {
      record.add("cleaned");
      return {};
    });
    EXPECT_TRUE(cleaned || cleaned.error().code != ErrorCode::conflict) << cleaned.error().message;
  }
  EXPECT_EQ(record.count("cleaned"), 2);
}

}  // namespace
}  // namespace fairway::kube
