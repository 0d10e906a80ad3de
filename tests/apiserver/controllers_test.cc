// SPDX-License-Identifier: Apache-2.0

// What the server does by itself: garbage collection, the end of namespaces, what each namespace has.
#include <chrono>
#include <functional>

#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

class Controllers : public OnServer {
 protected:
  /// Waits for an event. Returns false if it does not come.
  bool wait_for(const k8s::GroupVersionResource& resource, const std::string& in_namespace,
                const std::function<bool(const k8s::WatchEvent&)>& is_it) const {
    bool seen = false;
    const auto take = [&](const k8s::WatchEvent& event) -> Result<void> {
      seen = is_it(event);
      if (seen) return fail(ErrorCode::cancelled, "seen");
      return {};
    };
    const auto ended =
        client->watch(resource, in_namespace, {.bookmarks = true, .initial_events = true, .timeout = 60s},
                      take, Limits::within(Clock::system(), 70s));
    if (!seen && !ended) ADD_FAILURE() << ended.error().message;
    return seen;
  }

  /// Waits until an object is gone, whether it is deleted before or after this call.
  bool wait_until_gone(const k8s::GroupVersionResource& resource, const k8s::Key& where) const {
    bool there = false;
    return wait_for(resource, where.namespace_name, [&](const k8s::WatchEvent& event) {
      if (event.object.name() == where.name) {
        there = event.type != k8s::WatchEvent::Type::deleted;
        return !there;
      }
      return event.ends_initial_events() && !there;
    });
  }

  k8s::Dynamic make(const std::string& name, const k8s::Dynamic* owner = nullptr, bool blocks = false,
                    const std::string& finalizer = "") const {
    k8s::Dynamic object = config_map(name);
    if (owner != nullptr) {
      EXPECT_TRUE(object.set_owner(*owner, false));
      if (blocks) object.edit_items("metadata.ownerReferences").front().set("blockOwnerDeletion", true);
    }
    if (!finalizer.empty()) object.add_finalizer(finalizer);
    const auto made = client->create(config_maps, object);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : k8s::Dynamic();
  }
  void release(const std::string& name) const {
    EXPECT_TRUE(client->patch(config_maps, key(name), kube::PatchType::merge,
                              parsed(R"({"metadata":{"finalizers":null}})")));
  }
};

TEST_F(Controllers, DeleteWhatIsOwnedByWhatIsGone) {
  const k8s::Dynamic owner = make("owner"), child = make("child", &owner);
  make("grandchild", &child);
  make("stranger");
  ASSERT_TRUE(client->remove(config_maps, key("owner")));
  EXPECT_TRUE(wait_until_gone(config_maps, key("grandchild")));
  EXPECT_TRUE(wait_until_gone(config_maps, key("child")));
  EXPECT_TRUE(client->get(config_maps, key("stranger")));
}

TEST_F(Controllers, KeepWhatHasAnotherOwner) {
  const k8s::Dynamic owner = make("owner"), other = make("other");
  k8s::Dynamic object = config_map("child");
  ASSERT_TRUE(object.set_owner(owner, false));
  ASSERT_TRUE(object.set_owner(other, false));
  ASSERT_TRUE(client->create(config_maps, object));
  ASSERT_TRUE(client->remove(config_maps, key("owner")));
  EXPECT_TRUE(wait_for(config_maps, "default", [](const k8s::WatchEvent& event) {
    return event.object.name() == "child" && event.object.owners().size() == 1;
  }));
  const auto child = client->get(config_maps, key("child"));
  ASSERT_TRUE(child);
  EXPECT_EQ(child->owners().front().name(), "other");
}

TEST_F(Controllers, DeleteOwnersInTheForegroundAfterThoseThatBlockThem) {
  const k8s::Dynamic owner = make("owner");
  make("child", &owner, true, "example.com/hold");
  const auto removed =
      client->remove(config_maps, key("owner"), {.propagation = k8s::Propagation::foreground});
  ASSERT_TRUE(removed);
  EXPECT_TRUE(removed->has_finalizer("foregroundDeletion"));
  // The child is being deleted, and holds its owner.
  EXPECT_TRUE(wait_for(config_maps, "default", [](const k8s::WatchEvent& event) {
    return event.object.name() == "child" && event.object.is_being_deleted();
  }));
  EXPECT_TRUE(client->get(config_maps, key("owner")));
  release("child");
  EXPECT_TRUE(wait_until_gone(config_maps, key("owner")));
}

TEST_F(Controllers, DeleteACircleInTheForeground) {
  const k8s::Dynamic first = make("first"), second = make("second", &first, true);
  const k8s::Dynamic third = make("third", &second, true);
  k8s::Dynamic circular = first;
  ASSERT_TRUE(circular.set_owner(third, false));
  circular.edit_items("metadata.ownerReferences").front().set("blockOwnerDeletion", true);
  ASSERT_TRUE(client->replace(config_maps, circular));
  ASSERT_TRUE(client->remove(config_maps, key("first"), {.propagation = k8s::Propagation::foreground}));
  EXPECT_TRUE(wait_until_gone(config_maps, key("first")));
  EXPECT_TRUE(wait_until_gone(config_maps, key("second")));
  EXPECT_TRUE(wait_until_gone(config_maps, key("third")));
}

TEST_F(Controllers, DeleteWhatOwnsItselfInTheForeground) {
  const k8s::Dynamic made = make("one");
  k8s::Dynamic circular = made;
  ASSERT_TRUE(circular.set_owner(made, false));
  circular.edit_items("metadata.ownerReferences").front().set("blockOwnerDeletion", true);
  ASSERT_TRUE(client->replace(config_maps, circular));
  ASSERT_TRUE(client->remove(config_maps, key("one"), {.propagation = k8s::Propagation::foreground}));
  EXPECT_TRUE(wait_until_gone(config_maps, key("one")));
}

TEST_F(Controllers, LeaveOrphansBehind) {
  const k8s::Dynamic owner = make("owner");
  make("child", &owner);
  ASSERT_TRUE(client->remove(config_maps, key("owner"), {.propagation = k8s::Propagation::orphan}));
  EXPECT_TRUE(wait_until_gone(config_maps, key("owner")));
  const auto child = client->get(config_maps, key("child"));
  ASSERT_TRUE(child);
  EXPECT_TRUE(child->owners().empty());
}

TEST_F(Controllers, DeleteWhatIsMadeForAnOwnerThatIsGone) {
  k8s::Dynamic owner = make("owner");
  ASSERT_TRUE(client->remove(config_maps, key("owner")));
  make("late", &owner);
  EXPECT_TRUE(wait_until_gone(config_maps, key("late")));
}

TEST_F(Controllers, EmptyANamespaceBeforeItGoes) {
  ASSERT_TRUE(client->create(namespaces,
                             object_of(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})")));
  k8s::Dynamic held = config_map("held");
  held.set_namespace_name("n");
  held.add_finalizer("example.com/hold");
  ASSERT_TRUE(client->create(config_maps, held));
  const auto removed = client->remove(namespaces, {"", "n"});
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->text("status.phase"), "Terminating");
  EXPECT_TRUE(wait_for(namespaces, "", [](const k8s::WatchEvent& event) {
    const auto conditions = event.object.items("status.conditions");
    return event.object.name() == "n" && std::ranges::any_of(conditions, [](const k8s::View& one) {
             return one.text("type") == "NamespaceFinalizersRemaining" && one.text("status") == "True" &&
                    one.text("message") ==
                        "Some content in the namespace has finalizers remaining: example.com/hold in 1 "
                        "resource instances";
           });
  }));
  k8s::Dynamic more = config_map("more");
  more.set_namespace_name("n");
  const auto refused = client->create(config_maps, more);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(k8s::reason::forbidden));
  EXPECT_TRUE(refused.error().status.has_cause("NamespaceTerminating"));
  ASSERT_TRUE(client->patch(config_maps, {"n", "held"}, kube::PatchType::merge,
                            parsed(R"({"metadata":{"finalizers":null}})")));
  EXPECT_TRUE(wait_until_gone(namespaces, {"", "n"}));
}

TEST_F(Controllers, GiveEachNamespaceWhatItHas) {
  server.reset();
  server = start_server();
  client = client_of(*server, {.max_retries = 0});
  const auto is_authority = [&](const k8s::WatchEvent& event) {
    return event.object.name() == "kube-root-ca.crt" && event.type == k8s::WatchEvent::Type::added &&
           event.object.map("data").find("ca.crt") == server->authority();
  };
  EXPECT_TRUE(wait_for(config_maps, "kube-system", is_authority));
  const k8s::GroupVersionResource accounts{"", "v1", "serviceaccounts"};
  EXPECT_TRUE(wait_for(accounts, "default",
                       [](const k8s::WatchEvent& event) { return event.object.name() == "default"; }));
  // What somebody deletes comes again.
  const auto before = client->get(accounts, {"default", "default"});
  ASSERT_TRUE(before);
  ASSERT_TRUE(client->remove(accounts, {"default", "default"}));
  EXPECT_TRUE(wait_for(accounts, "default", [&](const k8s::WatchEvent& event) {
    return event.object.name() == "default" && event.object.uid() != before->uid();
  }));
}

}  // namespace
}  // namespace fairway::apiserver::testing
