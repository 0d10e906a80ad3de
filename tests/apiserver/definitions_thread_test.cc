// SPDX-License-Identifier: Apache-2.0

// What follows the definitions, without a server.
#include "apiserver/internal/definitions/definitions.h"

#include "apiserver/definition_objects_case.h"

namespace fairway::apiserver::definitions {
namespace {

using DefinitionsThread = OnStorage;

TEST_F(DefinitionsThread, LeavesObjectsThatWaitForFinalizersAlone) {
  constexpr int count = 20;
  const resources::ServedResourcePtr resource =
      registry.find({"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  Definitions followed(objects, registry);
  ASSERT_TRUE(followed.start());
  ASSERT_TRUE(objects.create(*resource, k8s::Dynamic(definition()), {}));
  ASSERT_TRUE(followed.wait_until_current({}));
  put_many(count, held);
  ASSERT_TRUE(objects.remove(*resource, {"", "widgets.example.com"}, {}, {}));
  ASSERT_TRUE(followed.wait_until_current({}));
  ASSERT_EQ(being_deleted(), count);
  const int asked = clock.asked;
  // Changes of the definition, each of which it looks at.
  const storage::Key key{"apiextensions.k8s.io/customresourcedefinitions", "", "widgets.example.com"};
  for (int i = 0; i < count; ++i) {
    const auto now = storage->get(key).value();
    auto body = storage::Body::of(now->json());
    ASSERT_TRUE(storage->write({key, storage::Precondition::at(now->revision()), *body}));
    ASSERT_TRUE(followed.wait_until_current({}));
  }
  // To delete an object again asks for the time.
  EXPECT_EQ(clock.asked, asked);
}

TEST_F(DefinitionsThread, ServesBeforeItSaysSo) {
  const resources::ServedResourcePtr resource =
      registry.find({"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  ASSERT_TRUE(objects.create(*resource, k8s::Dynamic(definition()), {}));
  const auto watch = storage->watch({.resource = resource->storage, .from = storage->revision()}).value();
  ASSERT_TRUE(watch->poll().events.empty());
  std::atomic<bool> is_served = false;
  // When the condition is written, before the writer hears of it.
  watch->on_ready([&] { is_served = registry.find({"example.com", "v1", "widgets"}) != nullptr; });
  Definitions followed(objects, registry);
  ASSERT_TRUE(followed.start());
  EXPECT_TRUE(is_served);
  watch->on_ready({});
}

}  // namespace
}  // namespace fairway::apiserver::definitions
