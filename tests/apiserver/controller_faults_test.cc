// SPDX-License-Identifier: Apache-2.0

// Controllers where reads fail, and where they are late.
#include <optional>

#include "apiserver/internal/controllers/controllers.h"
#include "apiserver/objects_case.h"

namespace fairway::apiserver::testing {
namespace {

class ControllersWithFaults : public WithObjects {
 protected:
  ~ControllersWithFaults() override { controllers.reset(); }
  void start() {
    controllers.emplace(objects, controllers::ControllerOptions{.namespace_defaults = false}, "");
  }
  /// Waits until the controllers have done all that the test has given them so far: they see a Secret last.
  void wait_until_done() {
    make_lost("secrets", "z-last");
    EXPECT_TRUE(wait_until_gone("secrets", "z-last"));
  }
  /// Makes more changes than a ring holds.
  void overtake() {
    for (int i = 0; i < 20; ++i) make("configmaps", "more-" + std::to_string(i));
  }

  std::optional<apiserver::controllers::Controllers> controllers;
};

TEST_F(ControllersWithFaults, KeepWhatIsOwnedByWhatCannotBeRead) {
  const k8s::Dynamic owner = make("configmaps", "owner");
  make("secrets", "a-child", &owner);
  hooked.fail_gets_of("configmaps");
  start();
  wait_until_done();
  EXPECT_TRUE(stored("secrets", "a-child"));
  hooked.fail_gets_of("");
  remove("configmaps", "owner");
  EXPECT_TRUE(wait_until_gone("secrets", "a-child"));
}

TEST_F(ControllersWithFaults, FollowWhatCouldNotBeReadAtFirst) {
  hooked.fail_lists_of("secrets");
  start();
  hooked.wait_for_failure();
  hooked.fail_lists_of("");
  wait_until_done();
}

TEST_F(ControllersWithFaults, LearnOfDeletionsThatAreNoLongerInMemory) {
  const k8s::Dynamic owner = make("configmaps", "owner");
  make("secrets", "a-child", &owner);
  start();
  wait_until_done();
  faulty.hold_events(true);
  remove("configmaps", "owner");
  overtake();
  faulty.hold_events(false);
  EXPECT_TRUE(wait_until_gone("secrets", "a-child"));
}

TEST_F(ControllersWithFaults, LearnOfDeletionsThatAreNoLongerKept) {
  const k8s::Dynamic owner = make("configmaps", "owner");
  make("secrets", "a-child", &owner);
  start();
  wait_until_done();
  faulty.hold_events(true);
  remove("configmaps", "owner");
  overtake();
  ASSERT_TRUE(memory->compact(memory->revision()));
  faulty.hold_events(false);
  EXPECT_TRUE(wait_until_gone("secrets", "a-child"));
}

TEST_F(ControllersWithFaults, ReleaseOwnersWhoseDependentsWentUnseen) {
  const k8s::Dynamic owner = make("secrets", "owner");
  k8s::Dynamic child = make("configmaps", "child", &owner, "example.com/hold");
  child.edit_items("metadata.ownerReferences").front().set("blockOwnerDeletion", true);
  ASSERT_TRUE(objects.update(*find("configmaps"),
                             {.key = child.key(), .transform = [&](const k8s::Dynamic*) { return child; }},
                             {}));
  start();
  ASSERT_TRUE(
      objects.remove(*find("secrets"), owner.key(), {.propagation = k8s::Propagation::foreground}, {}));
  EXPECT_TRUE(wait_until("configmaps", [&] { return stored("configmaps", "child")->is_being_deleted(); }));
  wait_until_done();
  faulty.hold_events(true);
  release("configmaps", child.key());
  overtake();
  ASSERT_TRUE(memory->compact(memory->revision()));
  faulty.hold_events(false);
  EXPECT_TRUE(wait_until_gone("secrets", "owner"));
}

TEST_F(ControllersWithFaults, FinishANamespaceWhoseLastChangeTheyMissed) {
  make_namespace("n");
  const k8s::Dynamic held = make("configmaps", "held", nullptr, "example.com/hold", "n");
  remove("namespaces", "n");
  start();
  EXPECT_TRUE(wait_until("namespaces", [&] { return stored("namespaces", "n")->has("status.conditions"); }));
  wait_until_done();
  faulty.hold_events(true);
  release("configmaps", held.key());
  overtake();
  ASSERT_TRUE(memory->compact(memory->revision()));
  faulty.hold_events(false);
  EXPECT_TRUE(wait_until_gone("namespaces", "n"));
}

/// Writes in a namespace that may be deleted between its check and the write.
class WritesInANamespaceThatGoes : public WithObjects {
 protected:
  WritesInANamespaceThatGoes() { make_namespace("n"); }

  k8s::StatusResult<objects::Outcome> create_while(const std::function<void()>& something_else) {
    hooked.before_write = [&, done = false](const std::vector<storage::Change>& changes) mutable {
      if (changes.front().key.resource != "configmaps" || std::exchange(done, true)) return;
      something_else();
    };
    k8s::Dynamic object;
    object.set("kind", "ConfigMap");
    object.set("apiVersion", "v1");
    object.set_name("late");
    object.set_namespace_name("n");
    return objects.create(*find("configmaps"), std::move(object), {});
  }
  void finish() {
    const auto done = objects.update(*find("namespaces"),
                                     {.key = {"", "n"},
                                      .transform =
                                          [](const k8s::Dynamic* current) {
                                            k8s::Dynamic changed = *current;
                                            changed.set("spec.finalizers", json::Value(json::Array{}));
                                            return changed;
                                          },
                                      .finalize = true},
                                     {});
    ASSERT_TRUE(done);
  }
};

TEST_F(WritesInANamespaceThatGoes, AreRefusedOnceItIsGone) {
  const auto made = create_while([&] {
    remove("namespaces", "n");
    finish();
  });
  EXPECT_FALSE(stored("namespaces", "n"));
  EXPECT_FALSE(stored("configmaps", "late", "n")) << "nobody would ever remove it";
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().is_failure(k8s::reason::not_found));
}

TEST_F(WritesInANamespaceThatGoes, AreRefusedOnceItsEndHasBegun) {
  const auto made = create_while([&] { remove("namespaces", "n"); });
  EXPECT_FALSE(stored("configmaps", "late", "n"));
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().has_cause("NamespaceTerminating"));
}

TEST_F(WritesInANamespaceThatGoes, AreMadeWhereItHasOnlyChanged) {
  const auto made = create_while([&] {
    ASSERT_TRUE(objects.update(*find("namespaces"),
                               {.key = {"", "n"},
                                .transform =
                                    [](const k8s::Dynamic* current) {
                                      k8s::Dynamic changed = *current;
                                      changed.set_label("a", "b");
                                      return changed;
                                    }},
                               {}));
  });
  EXPECT_TRUE(made);
  EXPECT_TRUE(stored("configmaps", "late", "n"));
}

}  // namespace
}  // namespace fairway::apiserver::testing
