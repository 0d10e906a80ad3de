// SPDX-License-Identifier: Apache-2.0

// The removal of all objects of a definition.
#include "apiserver/internal/definitions/removal.h"

#include "apiserver/definition_objects_case.h"

namespace fairway::apiserver::definitions {
namespace {

using Step = Removal::Step;

class Removals : public OnStorage {
 protected:
  Step step(const std::stop_token& stop = {}) {
    return removal.step(stop, [this] { ++woken; });
  }
  /// Steps until it waits, or nothing is left; at most some steps.
  Step settle() {
    Step last = step();
    for (int i = 0; i < 8 && last == Step::more; ++i) last = step();
    return last;
  }

  std::atomic<int> woken{0};
  Removal removal{objects, k8s::CustomResourceDefinition(definition())};
};

TEST_F(Removals, GoBatchByBatch) {
  put_many(600, "");
  EXPECT_EQ(step(), Step::more);
  EXPECT_EQ(stored().size(), 600U - 256);
  EXPECT_EQ(step(), Step::more);
  EXPECT_FALSE(removal.is_marked());
  EXPECT_EQ(step(), Step::more);
  EXPECT_TRUE(removal.is_marked());
  EXPECT_EQ(step(), Step::empty);
}

TEST_F(Removals, EndWhereTheyAreStopped) {
  put_many(40, held);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(step(stop.get_token()), Step::more);
  EXPECT_EQ(being_deleted(), 0U);
  EXPECT_FALSE(removal.is_marked());
}

TEST_F(Removals, WaitForFinalizers) {
  // More than the ring has.
  put_many(20, held);
  EXPECT_EQ(settle(), Step::waiting);
  EXPECT_EQ(being_deleted(), 20U);
  EXPECT_EQ(woken, 0);
  for (int i = 0; i < 20; ++i) {
    const storage::Key key{widgets, "default", "w" + std::to_string(i)};
    const bool is_last = i == 19;
    ASSERT_TRUE(storage->write({key, {}, std::nullopt}));
    EXPECT_EQ(woken, i + 1);
    EXPECT_EQ(settle(), is_last ? Step::empty : Step::waiting);
  }
}

TEST_F(Removals, GoOnWhereTheirWatchIsOvertaken) {
  put_many(20, held);
  ASSERT_EQ(settle(), Step::waiting);
  for (const storage::RecordPtr& record : stored()) {
    auto body = storage::Body::of(record->json());
    ASSERT_TRUE(storage->write({{widgets, "default", std::string(record->name())}, {}, *body}));
  }
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(settle(), Step::waiting);
  EXPECT_EQ(woken, 1);
}

TEST_F(Removals, LeaveObjectsInTheVersionInWhichTheyAre) {
  auto body = storage::Body::of(
      R"({"kind":"Widget","apiVersion":"example.com/v0","metadata":{"name":"old","namespace":"default","finalizers":["example.com/hold"]},"spec":{"x":1}})");
  ASSERT_TRUE(storage->write({{widgets, "default", "old"}, {}, *body}));
  ASSERT_EQ(settle(), Step::waiting);
  const k8s::Dynamic object = resources::parse(*stored().front());
  EXPECT_TRUE(object.is_being_deleted());
  EXPECT_EQ(object.api_version(), "example.com/v0");
  EXPECT_EQ(object.integer("spec.x"), 1);
}

/// A version that hides the rules of roles, which are stored with them.
class HiddenRules final : public resources::Strategy {
  k8s::StatusResult<void> convert(k8s::Dynamic& object, const k8s::GroupVersionKind& to) const override {
    object.set("apiVersion", to.api_version());
    object.set("rules", json::Value(json::Array{1}));
    return {};
  }
};

TEST_F(OnStorage, WhoMayWriteIsJudgedByWhatIsStored) {
  resources::ServedResource resource;
  resource.kind = {"rbac.example.com", "v2", "Role"};
  resource.storage_kind = {"rbac.example.com", "v1", "Role"};
  resource.plural = "roles";
  resource.scope = k8s::Scope::cluster;
  resource.storage = "rbac.example.com/roles";
  resource.strategy = std::make_shared<HiddenRules>();
  objects.set_write_check("rbac.example.com", objects::WriteStage::completed,
                          [](const objects::CheckedWrite& write) -> k8s::StatusResult<void> {
                            if (!write.object.has("rules")) return {};
                            return std::unexpected(k8s::Status::failure(k8s::reason::forbidden, "rules"));
                          });
  k8s::Dynamic role;
  role.set("apiVersion", "rbac.example.com/v2");
  role.set("kind", "Role");
  role.set_name("a");
  EXPECT_FALSE(objects.create(resource, k8s::Dynamic(role), {}));
  // Of others nobody asks.
  resource.storage = "rbac.example.community/roles";
  EXPECT_TRUE(objects.create(resource, k8s::Dynamic(role), {}));
}

TEST_F(OnStorage, ACustomResourceDoesNotTakeThePlaceOfABuiltInOne) {
  resources::ServedResource custom;
  custom.kind = {"apps", "v1", "Other"};
  custom.plural = "deployments";
  custom.is_custom = true;
  EXPECT_FALSE(registry.put(custom));
  custom.plural = "others";
  custom.kind.kind = "Deployment";
  EXPECT_FALSE(registry.put(custom));
  EXPECT_EQ(registry.find({"apps", "v1", "deployments"})->kind.kind, "Deployment");
  EXPECT_EQ(registry.find_kind({"apps", "v1", "Deployment"})->plural, "deployments");
  custom.kind.kind = "Other";
  EXPECT_TRUE(registry.put(custom));
}

}  // namespace
}  // namespace fairway::apiserver::definitions
