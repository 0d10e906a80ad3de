#include "kube/controller/update_status.h"

#include <gtest/gtest.h>

#include <atomic>

#include "k8s/conditions.h"
#include "kube/controller_kinds.h"
#include "kube/memory_api.h"

namespace fairway::kube {
namespace {

using testing::MemoryApi;
using testing::Widget;
using testing::widget;

class UpdateStatusTest : public ::testing::Test {
 protected:
  UpdateStatusTest() {
    server_.intercept([this](const http::Request& request) {
      if (request.method == "PUT") {
        ++writes_;
        if (conflicts_ > 0) {
          --conflicts_;
          return 409;
        }
      }
      return 0;
    });
    seen_ = widgets_.create(widget("w")).value();
  }
  Result<StatusUpdate> update(const Widget* seen, const std::function<void(k8s::Dynamic& now)>& mutate) {
    return update_status(*client_, Widget::resource.group_version_resource(), {"a", "w"}, seen, mutate);
  }

  MemoryApi server_;
  std::shared_ptr<Client> client_ = server_.client();
  Api<Widget> widgets_{client_, "a"};
  std::atomic<int> writes_ = 0, conflicts_ = 0;
  Widget seen_;
};

TEST_F(UpdateStatusTest, WritesWhatChangedAndNothingElse) {
  const auto ready = [](k8s::Dynamic& now) { now.set("status.ready", true); };
  const auto first = update(&seen_, ready);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(*first, StatusUpdate::written);
  EXPECT_EQ(writes_, 1);
  const Widget stored = widgets_.get("w").value();
  EXPECT_TRUE(stored.flag("status.ready"));
  EXPECT_EQ(update(&seen_, ready), StatusUpdate::unchanged);
  EXPECT_EQ(writes_, 1) << "nothing changed";
  EXPECT_EQ(widgets_.get("w").value().resource_version(), stored.resource_version());
  // Null is not absent.
  ASSERT_TRUE(update(&seen_, [](k8s::Dynamic& now) { now.set("status.ready", json::Value(nullptr)); }));
  EXPECT_EQ(writes_, 2);
}

TEST_F(UpdateStatusTest, ReadsAgainAfterAConflict) {
  conflicts_ = 3;
  int mutated = 0;
  const auto updated = update(&seen_, [&](k8s::Dynamic& now) {
    ++mutated;
    now.set("status.ready", true);
  });
  ASSERT_TRUE(updated) << updated.error().message;
  EXPECT_EQ(mutated, 4);
  EXPECT_TRUE(widgets_.get("w").value().flag("status.ready"));
  conflicts_ = 100;
  EXPECT_FALSE(update(&seen_, [](k8s::Dynamic& now) { now.set("status.ready", false); }));
}

TEST_F(UpdateStatusTest, WritesNothingThatSpeaksOfAnotherGeneration) {
  ASSERT_TRUE(widgets_.merge_patch("w", {{"spec", {{"color", "blue"}}}}));
  ASSERT_NE(widgets_.get("w").value().generation(), seen_.generation());
  bool called = false;
  const auto updated = update(&seen_, [&](k8s::Dynamic&) { called = true; });
  ASSERT_TRUE(updated);
  EXPECT_EQ(*updated, StatusUpdate::outdated);
  EXPECT_EQ(requeue_after(*updated).kind, Requeue::Kind::with_backoff);
  EXPECT_FALSE(called);
  EXPECT_EQ(writes_, 0);
  EXPECT_EQ(update(nullptr, [](k8s::Dynamic& now) { now.set("status.x", 1); }), StatusUpdate::written);
  EXPECT_EQ(writes_, 1) << "without an object that was seen, what it is given counts";
}

TEST_F(UpdateStatusTest, WritesNothingOntoANewObjectOfTheSameName) {
  ASSERT_TRUE(widgets_.remove("w"));
  ASSERT_TRUE(widgets_.create(widget("w")));
  EXPECT_EQ(update(&seen_, [](k8s::Dynamic& now) { now.set("status.x", 1); }), StatusUpdate::outdated);
  ASSERT_TRUE(widgets_.remove("w"));
  EXPECT_EQ(update(&seen_, [](k8s::Dynamic& now) { now.set("status.x", 1); }), StatusUpdate::gone);
  EXPECT_EQ(writes_, 0);
}

TEST_F(UpdateStatusTest, SaysThatWhatWasSeenHasNoGeneration) {
  seen_.erase("metadata.generation");
  const auto updated = update(&seen_, [](k8s::Dynamic& now) { now.set("status.x", 1); });
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, ErrorCode::invalid);
  EXPECT_NE(updated.error().message.find("no metadata.generation"), std::string::npos)
      << updated.error().message;
  EXPECT_EQ(writes_, 0);
}

TEST_F(UpdateStatusTest, TakesAKindThatIsNotServedForAnError) {
  server_.intercept([](const http::Request&) { return 404; });
  const auto updated = update(&seen_, [](k8s::Dynamic& now) { now.set("status.x", 1); });
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, ErrorCode::not_found);
  // Between the read and the write.
  std::atomic<int> reads = 0;
  server_.intercept([&](const http::Request& request) {
    return request.method == "PUT" || (request.method == "GET" && reads++ > 0) ? 404 : 0;
  });
  EXPECT_FALSE(update(&seen_, [](k8s::Dynamic& now) { now.set("status.x", 1); }));
}

TEST_F(UpdateStatusTest, RefusesToChangeMoreThanTheStatus) {
  const auto updated = update(&seen_, [](k8s::Dynamic& now) {
    now.set("status.ready", true);
    now.set("spec.color", "green");
  });
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, ErrorCode::invalid);
  EXPECT_NE(updated.error().message.find("more than the status"), std::string::npos)
      << updated.error().message;
  EXPECT_EQ(writes_, 0);
}

TEST_F(UpdateStatusTest, SaysThatAKindHasNoStatusSubresource) {
  server_.intercept([](const http::Request& request) { return request.method == "PUT" ? 404 : 0; });
  const auto updated = update(&seen_, [](k8s::Dynamic& now) { now.set("status.ready", true); });
  ASSERT_FALSE(updated);
  EXPECT_NE(updated.error().message.find("no status subresource"), std::string::npos)
      << updated.error().message;
}

}  // namespace
}  // namespace fairway::kube
