// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/update_status.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

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
      if (request.path.ends_with("/status")) {
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

// Somebody annotates the object between each read and the write that follows it.
TEST_F(UpdateStatusTest, IsNotHeldUpByThoseWhoWriteSomethingElse) {
  ASSERT_TRUE(update(&seen_, [](k8s::Dynamic& now) { now.set("status.ready", false); }));
  int mutated = 0;
  const auto annotated = [&](k8s::Dynamic& now) {
    const std::string number = std::to_string(++mutated);
    ASSERT_TRUE(widgets_.merge_patch("w", {{"metadata", {{"annotations", {{"example.com/n", number}}}}}}));
    now.set("status.ready", true);
  };
  const auto updated = update(&seen_, annotated);
  ASSERT_TRUE(updated) << updated.error().message;
  EXPECT_EQ(*updated, StatusUpdate::written);
  EXPECT_EQ(mutated, 2);
  Widget stored = widgets_.get("w").value();
  EXPECT_TRUE(stored.flag("status.ready"));
  EXPECT_EQ(stored.annotation("example.com/n"), "2");
  // All of it goes.
  mutated = 0;
  ASSERT_TRUE(update(&seen_, [&](k8s::Dynamic& now) {
    annotated(now);
    now.erase("status");
  }));
  EXPECT_FALSE(widgets_.get("w").value().json().contains("status"));
}

TEST_F(UpdateStatusTest, NeverWritesOverAStatusOrASpecThatChangedMeanwhile) {
  ASSERT_TRUE(update(&seen_, [](k8s::Dynamic& now) { now.set("status.ready", false); }));
  int mutated = 0;
  const auto updated = update(&seen_, [&](k8s::Dynamic& now) {
    ASSERT_TRUE(widgets_.merge_patch("w", {{"status", {{"theirs", ++mutated}}}}));
    now.set("status.ready", true);
  });
  EXPECT_FALSE(updated);
  EXPECT_EQ(mutated, 5);
  EXPECT_FALSE(widgets_.get("w").value().flag("status.ready"));
  EXPECT_EQ(widgets_.get("w").value().integer("status.theirs"), 5);
  mutated = 0;
  const auto other = update(nullptr, [&](k8s::Dynamic& now) {
    ASSERT_TRUE(widgets_.merge_patch("w", {{"spec", {{"color", std::to_string(++mutated)}}}}));
    now.set("status.ready", true);
  });
  EXPECT_FALSE(other);
  EXPECT_FALSE(widgets_.get("w").value().flag("status.ready"));
}

TEST_F(UpdateStatusTest, NeedsNoRightToPatch) {
  ASSERT_TRUE(update(&seen_, [](k8s::Dynamic& now) { now.set("status.ready", false); }));
  std::atomic<int> patches = 0;
  conflicts_ = 1;
  server_.intercept([&](const http::Request& request) {
    if (request.path.ends_with("/status") && request.method == "PATCH") {
      ++patches;
      return 403;
    }
    return request.method == "PUT" && conflicts_-- > 0 ? 409 : 0;
  });
  EXPECT_EQ(update(&seen_, [](k8s::Dynamic& now) { now.set("status.ready", true); }), StatusUpdate::written);
  EXPECT_EQ(patches, 1);
}

// Whatever a server has against patches, the write of the whole object goes on.
TEST_F(UpdateStatusTest, WritesTheObjectWhereThePatchIsRefused) {
  ASSERT_TRUE(update(&seen_, [](k8s::Dynamic& now) { now.set("status.round", 100); }));
  int round = 0;
  for (const int code : {400, 404, 405, 413, 415, 422, 500, 501}) {
    std::atomic<int> conflicts = 1;
    server_.intercept([&](const http::Request& request) {
      if (!request.path.ends_with("/status")) return 0;
      if (request.method == "PATCH") return code;
      return conflicts-- > 0 ? 409 : 0;
    });
    ++round;
    EXPECT_EQ(update(&seen_, [&](k8s::Dynamic& now) { now.set("status.round", round); }),
              StatusUpdate::written)
        << code;
    EXPECT_EQ(widgets_.get("w").value().integer("status.round"), round) << code;
  }
}

TEST_F(UpdateStatusTest, SeesThatTheObjectIsGoneBeforeItsPatch) {
  ASSERT_TRUE(update(&seen_, [](k8s::Dynamic& now) { now.set("status.ready", false); }));
  conflicts_ = 1;
  int mutated = 0;
  EXPECT_EQ(update(&seen_,
                   [&](k8s::Dynamic& now) {
                     if (++mutated == 2) [[maybe_unused]]
                       const auto removed = widgets_.remove("w");
                     now.set("status.ready", true);
                   }),
            StatusUpdate::gone);
}

// kube-apiserver compares a `test` with its own text, in which Go escapes these.
TEST_F(UpdateStatusTest, PatchesWithTheTextOfGo) {
  const std::string message = "a<b>c&d\xe2\x80\xa8";
  ASSERT_TRUE(update(&seen_, [&](k8s::Dynamic& now) { now.set("status.message", message); }));
  std::mutex mutex;
  std::string body;
  conflicts_ = 1;
  server_.intercept([&](const http::Request& request) {
    if (!request.path.ends_with("/status")) return 0;
    const std::scoped_lock lock(mutex);
    if (request.method == "PATCH") body = request.body;
    return request.method == "PUT" && conflicts_-- > 0 ? 409 : 0;
  });
  EXPECT_EQ(update(&seen_, [](k8s::Dynamic& now) { now.set("status.ready", true); }), StatusUpdate::written);
  EXPECT_TRUE(body.contains(R"("message":"a\u003cb\u003ec\u0026d\u2028")")) << body;
  EXPECT_EQ(widgets_.get("w").value().text("status.message"), message);
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
