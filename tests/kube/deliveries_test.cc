// SPDX-License-Identifier: Apache-2.0

// What handlers are told: in order, from where they began, and joined where they are slow.
#include "kube/internal/informer/deliveries.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;

SharedObject object(const std::string& name, int version, const std::string& uid = "u") {
  k8s::Dynamic made;
  made.set_name(name);
  made.set("metadata.uid", uid);
  made.set("metadata.resourceVersion", std::to_string(version));
  return std::make_shared<const k8s::Dynamic>(std::move(made));
}

std::string text(const SharedObject& object) {
  return std::string(object->name()) + std::string(object->resource_version());
}

/// Records the calls of its handler, which can be blocked.
class Listener {
 public:
  Handler handler() {
    return {
        .added = [this](const auto& now, bool initial) { record((initial ? "!" : "+") + text(now)); },
        .updated = [this](const auto& before, const auto& now) { record(text(before) + ">" + text(now)); },
        .deleted = [this](const auto& last) { record("-" + text(last)); }};
  }
  void hold() { held_ = true; }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  /// Waits until the handler got this many changes.
  std::string wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 20s, [&] { return count_ >= count; }));
    return told_;
  }

 private:
  void record(const std::string& what) {
    std::unique_lock lock(mutex_);
    told_ += (told_.empty() ? "" : " ") + what;
    ++count_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string told_;
  std::size_t count_ = 0;
  bool held_ = false;
};

class DeliveriesTest : public ::testing::Test {
 protected:
  void start() {
    thread_ = std::jthread([this](const std::stop_token& stop) { deliveries_.run(stop); });
  }
  void added(const SharedObject& now) { deliveries_.push({nullptr, now}); }
  void updated(const SharedObject& before, const SharedObject& now) { deliveries_.push({before, now}); }
  void deleted(const SharedObject& last) { deliveries_.push({last, nullptr}); }

  Listener first_, second_;  // outlive who tells them
  Deliveries deliveries_{3};
  std::jthread thread_;
};

TEST_F(DeliveriesTest, TellsInOrder) {
  deliveries_.add(first_.handler(), {}, false);
  deliveries_.push_initial({object("a", 1)}, true);
  updated(object("a", 1), object("a", 2));
  deleted(object("a", 3));
  start();
  EXPECT_EQ(first_.wait_for(3), "!a1 a1>a2 -a3");
}

TEST_F(DeliveriesTest, TellsOfAnObjectThatWasMadeAnew) {
  deliveries_.add(first_.handler(), {}, false);
  updated(object("a", 1, "one"), object("a", 5, "two"));
  start();
  EXPECT_EQ(first_.wait_for(2), "-a1 +a5");
}

TEST_F(DeliveriesTest, TellsALateHandlerOfWhatIsThereAndOfWhatFollows) {
  deliveries_.add(first_.handler(), {}, false);
  added(object("a", 1));
  added(object("b", 2));
  deliveries_.add(second_.handler(), {object("a", 1), object("b", 2)}, false);
  updated(object("b", 2), object("b", 3));
  start();
  EXPECT_EQ(first_.wait_for(3), "+a1 +b2 b2>b3");
  EXPECT_EQ(second_.wait_for(3), "!a1 !b2 b2>b3");
}

TEST_F(DeliveriesTest, JoinsChangesOfAnObjectBehindASlowHandler) {
  first_.hold();
  deliveries_.add(first_.handler(), {}, false);
  start();
  added(object("z", 1));
  first_.wait_for(1);
  // Three wait one by one, the bound; what follows is joined by object.
  for (int i = 1; i <= 3; ++i) updated(object("z", i), object("z", i + 1));
  for (int i = 4; i < 1000; ++i) updated(object("z", i), object("z", i + 1));
  added(object("a", 1));
  updated(object("a", 1), object("a", 2));
  added(object("gone", 1));
  deleted(object("gone", 2));
  updated(object("b", 1), object("b", 2));
  deleted(object("b", 3));
  deleted(object("c", 1));
  added(object("c", 2));
  deleted(object("d", 1));
  updated(object("e", 1), object("e", 2));
  first_.let_go();
  EXPECT_EQ(first_.wait_for(10), "+z1 z1>z2 z2>z3 z3>z4 z4>z1000 +a2 -b3 c1>c2 -d1 e1>e2");
}

TEST_F(DeliveriesTest, JoinsNothingWithAnEntryBeforeTheLast) {
  first_.hold();
  deliveries_.add(first_.handler(), {}, false);
  added(object("a", 1));
  added(object("b", 1));
  added(object("k", 1));  // beyond the bound
  start();
  first_.wait_for(1);
  updated(object("k", 1), object("k", 2));  // below it
  updated(object("k", 2), object("k", 3));  // and beyond it again
  first_.let_go();
  EXPECT_EQ(first_.wait_for(5), "+a1 +b1 +k1 k1>k2 k2>k3");
}

TEST_F(DeliveriesTest, JoinsNothingAcrossTheBeginningOfALateHandler) {
  first_.hold();
  deliveries_.add(first_.handler(), {}, false);
  start();
  added(object("z", 1));
  first_.wait_for(1);
  for (int i = 1; i <= 5; ++i) updated(object("z", i), object("z", i + 1));
  deliveries_.add(second_.handler(), {object("z", 6)}, false);
  updated(object("z", 6), object("z", 7));
  updated(object("z", 7), object("z", 8));
  first_.let_go();
  EXPECT_EQ(first_.wait_for(6), "+z1 z1>z2 z2>z3 z3>z4 z4>z6 z6>z8");
  EXPECT_EQ(second_.wait_for(2), "!z6 z6>z8");
}

TEST_F(DeliveriesTest, SaysWhenAHandlerKnowsTheBeginning) {
  const HandlerId early = deliveries_.add(first_.handler(), {}, false);
  deliveries_.push_initial({object("a", 1)}, true);
  const HandlerId late = deliveries_.add(second_.handler(), {object("a", 1)}, true);
  EXPECT_FALSE(deliveries_.synced(early));
  EXPECT_FALSE(deliveries_.synced(late));
  added(object("end", 2));
  start();
  first_.wait_for(2);
  second_.wait_for(2);
  EXPECT_TRUE(deliveries_.synced(early));
  EXPECT_TRUE(deliveries_.synced(late));
}

TEST_F(DeliveriesTest, TellsAHandlerThatWasRemovedOfNothingMore) {
  const HandlerId id = deliveries_.add(first_.handler(), {}, false);
  deliveries_.add(second_.handler(), {}, false);
  first_.hold();
  start();
  added(object("a", 1));
  first_.wait_for(1);
  auto removed = std::async(std::launch::async, [&] { deliveries_.remove(id); });
  added(object("b", 2));
  // It waits for the call that runs.
  EXPECT_EQ(removed.wait_for(20ms), std::future_status::timeout);
  first_.let_go();
  ASSERT_EQ(removed.wait_for(20s), std::future_status::ready);
  added(object("c", 3));
  EXPECT_EQ(second_.wait_for(3), "+a1 +b2 +c3");
  EXPECT_EQ(first_.wait_for(1), "+a1");
}

TEST_F(DeliveriesTest, GoesOnAfterAHandlerThatThrows) {
  deliveries_.add({.added = [](const auto&, bool) { throw std::runtime_error("said the test"); }}, {}, false);
  deliveries_.add(first_.handler(), {}, false);
  added(object("a", 1));
  added(object("b", 2));
  start();
  EXPECT_EQ(first_.wait_for(2), "+a1 +b2");
}

TEST_F(DeliveriesTest, TellsAgainInOrderAndNotTwiceAtOnce) {
  deliveries_.add(first_.handler(), {}, false);
  added(object("a", 1));
  deliveries_.push_resync({object("a", 1)});
  deliveries_.push_resync({object("a", 1)});
  deleted(object("a", 2));
  start();
  EXPECT_EQ(first_.wait_for(3), "+a1 a1>a1 -a2");
}

}  // namespace
}  // namespace fairway::kube
