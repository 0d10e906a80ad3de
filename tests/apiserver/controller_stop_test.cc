// SPDX-License-Identifier: Apache-2.0

// Controllers that have much to do, and are to stop.
#include <stop_token>

#include "apiserver/internal/controllers/garbage_collector.h"
#include "apiserver/internal/controllers/namespace_controller.h"
#include "apiserver/objects_case.h"

namespace fairway::apiserver::testing {
namespace {

constexpr int many = 1000;

class ControllersThatStop : public WithObjects {
 protected:
  /// Shows all objects to a controller.
  template <class Controller>
  void show(Controller& controller) {
    for (const std::string plural : {"namespaces", "configmaps"}) {
      const auto all = memory->list({.resource = plural});
      for (const storage::RecordPtr& record : all->records) controller.observe({plural, record, false});
    }
  }
  std::size_t left() const { return memory->list({.resource = "configmaps"})->records.size(); }
  void stop_at_the_first_deletion() {
    hooked.before_write = [&](const std::vector<storage::Change>& changes) {
      if (!changes.front().body) stop.request_stop();
    };
  }

  std::stop_source stop;
};

TEST_F(ControllersThatStop, LeaveTheRestOfANamespace) {
  make_namespace("n");
  for (int i = 0; i < many; ++i) make("configmaps", "m" + std::to_string(i), nullptr, "", "n");
  remove("namespaces", "n");
  controllers::NamespaceController controller(objects);
  show(controller);
  stop_at_the_first_deletion();
  EXPECT_FALSE(controller.work(stop.get_token())) << "it is not done";
  EXPECT_LT(left(), many);
  EXPECT_GE(left(), many / 2);
  hooked.before_write = {};
  EXPECT_TRUE(controller.work({}));
  EXPECT_EQ(left(), 0U);
  EXPECT_FALSE(stored("namespaces", "n"));
}

TEST_F(ControllersThatStop, LeaveTheRestOfWhatIsOwned) {
  const k8s::Dynamic owner = make("configmaps", "owner");
  for (int i = 0; i < many; ++i) make("configmaps", "m" + std::to_string(i), &owner);
  remove("configmaps", "owner");
  controllers::GarbageCollector controller(objects);
  show(controller);
  stop_at_the_first_deletion();
  EXPECT_EQ(controller.work(stop.get_token()), controllers::WorkLeft::more);
  EXPECT_LT(left(), many);
  EXPECT_GE(left(), many / 2);
  hooked.before_write = {};
  while (controller.work({}) == controllers::WorkLeft::more) {
  }
  EXPECT_EQ(left(), 0U);
}

TEST_F(ControllersThatStop, LeaveANamespaceThatHasTakenTheNameOfOneThatIsGone) {
  make_namespace("n");
  remove("namespaces", "n");
  controllers::NamespaceController controller(objects);
  show(controller);
  EXPECT_TRUE(controller.work({}));
  EXPECT_FALSE(stored("namespaces", "n"));
  make_namespace("n");
  make("configmaps", "a", nullptr, "", "n");
  // The end of the first one has not been seen yet.
  const auto record = memory->get({"configmaps", "n", "a"});
  controller.observe({"configmaps", *record, false});
  EXPECT_TRUE(controller.work({}));
  EXPECT_TRUE(stored("configmaps", "a", "n"));
  EXPECT_TRUE(stored("namespaces", "n"));
}

}  // namespace
}  // namespace fairway::apiserver::testing
