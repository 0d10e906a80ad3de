// SPDX-License-Identifier: Apache-2.0

// A server that is killed under load, again and again: what it has acknowledged is there afterwards, no
// object is torn, and watches go on where they were.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "conformance/apiserver/killed_server.h"
#include "conformance/apiserver/programs.h"
#include "k8s/core.h"
#include "k8s/equality.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;

const k8s::GroupVersionResource config_maps{"", "v1", "configmaps"};
const std::string home = "default";
constexpr int writers = 6, objects_of_each = 6;

std::int64_t version_of(const k8s::Dynamic& object) {
  return std::stoll(std::string(object.resource_version()));
}

/// Returns the filler of a value, in some cases longer than a page of SQLite's.
std::string filler_of(int value) {
  return std::string(static_cast<std::size_t>(value * 37 % 9000), static_cast<char>('a' + value % 26));
}
void give(k8s::Dynamic& object, int value) {
  object.set_entry("data", "value", std::to_string(value));
  object.set_entry("data", "filler", filler_of(value));
}
bool is_whole(const k8s::Dynamic& object) {
  return object.text("data.filler") == filler_of(std::stoi(std::string(object.text("data.value", "-1"))));
}

/// One writer's objects, and the server's answers about them.
class Written {
 public:
  Written(int writer, std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < objects_of_each; ++i)
      expected_.try_emplace("w" + std::to_string(writer) + "-" + std::to_string(i));
  }

  /// Writes once; false if there was no answer.
  bool step(kube::Client& client) {
    auto& [name, known] = *std::next(expected_.begin(), static_cast<int>(random_() % expected_.size()));
    const int value = ++value_;
    known.asked = true;
    if (!known.object) {
      auto object = k8s::make<k8s::ConfigMap>(name, home);
      give(object, value);
      known.value = value;
      return take(known, client.create(config_maps, object));
    }
    const auto kind = random_() % 8;
    if (kind == 0) {
      known.value = 0;
      const auto removed = client.remove(config_maps, {home, name});
      if (!removed && !removed.error().is_answer()) return false;
      EXPECT_TRUE(removed) << removed.error().message;
      known.object.reset();
      known.asked = false;
      return true;
    }
    known.value = value;
    if (kind < 4) {
      const json::Value patch{{"data", {{"value", std::to_string(value)}, {"filler", filler_of(value)}}}};
      return take(known, client.patch(config_maps, {home, name}, kube::PatchType::merge, patch));
    }
    auto changed = *known.object;
    give(changed, value);
    return take(known, client.replace(config_maps, changed));
  }

  /// Compares with the objects after a restart, by name. A write without an answer may have happened, or not.
  void check(const std::map<std::string, k8s::Dynamic>& there) {
    for (auto& [name, known] : expected_) {
      const auto found = there.find(name);
      const bool is_there = found != there.end();
      const bool as_acknowledged =
          known.object ? is_there && k8s::equal(found->second.json(), known.object->json()) : !is_there;
      bool as_asked = false;
      if (known.asked) {
        as_asked = known.value == 0
                       ? !is_there
                       : is_there && found->second.text("data.value") == std::to_string(known.value);
      }
      EXPECT_TRUE(as_acknowledged || as_asked)
          << name << " is " << (is_there ? json::to_text(found->second.json()).substr(0, 300) : "not there")
          << "\nand was " << (known.object ? json::to_text(known.object->json()).substr(0, 300) : "not there")
          << (known.asked ? "\nand asked for was " + std::to_string(known.value) : "");
      known.object.reset();
      if (is_there) known.object = found->second;
      known.asked = false;
    }
  }
  /// The resourceVersions of all writes that were acknowledged.
  const std::set<std::int64_t>& versions() const { return versions_; }

 private:
  struct Expected {
    /// The object in the server's last answer.
    std::optional<k8s::Dynamic> object;
    /// True if a write has had no answer, and its value: 0 for none, as it was deleted.
    bool asked = false;
    int value = 0;
  };

  bool take(Expected& expected, kube::ApiResult<k8s::Dynamic> answer) {
    if (!answer) {
      EXPECT_FALSE(answer.error().is_answer()) << answer.error().message;
      return false;
    }
    versions_.insert(version_of(*answer));
    expected.object = *std::move(answer);
    expected.asked = false;
    return true;
  }

  std::mt19937_64 random_;
  std::map<std::string, Expected> expected_;
  std::set<std::int64_t> versions_;
  int value_ = 0;
};

/// A watch that goes on at its version whenever the server is there again.
class Follower {
 public:
  explicit Follower(std::string version) : version_(std::move(version)) {}

  /// Watches until the server is gone; an error of the server's is a failure.
  void follow(kube::Client& client) {
    const kube::WatchOptions options{.resource_version = version_, .bookmarks = true};
    const auto ended = client.watch(
        config_maps, home, options,
        [&](const k8s::WatchEvent& event) -> Result<void> {
          take(event);
          return {};
        },
        Limits::within(Clock::system(), 10min));
    EXPECT_TRUE(ended || !ended.error().is_answer()) << ended.error().message;
  }
  bool has_seen(std::int64_t version) const {
    const std::lock_guard lock(mutex_);
    return !versions_.empty() && *versions_.rbegin() >= version;
  }
  /// The objects; to be called when nobody follows any more.
  const std::map<std::string, k8s::Dynamic>& objects() const { return objects_; }
  const std::set<std::int64_t>& versions() const { return versions_; }

 private:
  void take(const k8s::WatchEvent& event) {
    const std::lock_guard lock(mutex_);
    version_ = event.object.resource_version();
    if (event.type == k8s::WatchEvent::Type::bookmark) return;
    const std::int64_t version = version_of(event.object);
    EXPECT_TRUE(versions_.empty() || version > *versions_.rbegin()) << "an event twice, or too late";
    EXPECT_TRUE(is_whole(event.object)) << json::to_text(event.object.json()).substr(0, 300);
    versions_.insert(version);
    const std::string name(event.object.name());
    const bool was_there = objects_.contains(name);
    EXPECT_EQ(was_there, event.type != k8s::WatchEvent::Type::added) << name;
    if (event.type == k8s::WatchEvent::Type::deleted) {
      objects_.erase(name);
    } else {
      objects_.insert_or_assign(name, event.object);
    }
  }

  mutable std::mutex mutex_;
  std::string version_;
  std::map<std::string, k8s::Dynamic> objects_;
  std::set<std::int64_t> versions_;
};

std::map<std::string, k8s::Dynamic> objects_there(kube::Client& client) {
  const auto list = client.list(config_maps, home);
  if (!list) throw std::runtime_error(list.error().message);
  std::map<std::string, k8s::Dynamic> there;
  for (const k8s::Dynamic& one : list->items) {
    EXPECT_TRUE(is_whole(one)) << json::to_text(one.json()).substr(0, 300);
    there.emplace(one.name(), one);
  }
  return there;
}

/// Counts the writes of a round, and says when it is time to kill.
class Countdown {
 public:
  explicit Countdown(std::uint64_t writes) : left_(static_cast<std::int64_t>(writes)) {}
  void count() {
    if (--left_ <= 0) left_.notify_all();
  }
  void wait() {
    for (std::int64_t left = left_; left > 0; left = left_) left_.wait(left);
  }

 private:
  std::atomic<std::int64_t> left_;
};

TEST(KilledServer, LosesNothingThatItHasAcknowledged) {
  const int rounds = everything() ? 200 : 20;
  std::mt19937_64 random(seed());
  KilledServer server;
  std::vector<Written> written;
  for (int i = 0; i < writers; ++i) written.emplace_back(i, random());
  server.start();
  const auto first = server.client()->list(config_maps, home);
  ASSERT_TRUE(first) << first.error().message;
  Follower follower(first->resource_version);
  std::size_t begun_before = 0;
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE("FAIRWAY_SEED=" + std::to_string(seed()) + ", round " + std::to_string(round));
    const auto client = server.client();
    const auto there = objects_there(*client);
    for (Written& one : written) one.check(there);
    Countdown countdown(1 + random() % 300);
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { follower.follow(*client); });
    for (Written& one : written) {
      threads.emplace_back([&] {
        for (bool answered = true; answered && !::testing::Test::HasFailure();) {
          countdown.count();
          answered = one.step(*client);
        }
        // Nobody waits for writers that have ended.
        for (int i = 0; i < 300; ++i) countdown.count();
      });
    }
    countdown.wait();
    server.kill();
    threads.clear();
    server.start();
    // Killed while it starts, too: at any moment of what takes some 50 ms.
    if (round % 4 == 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
      server.kill();
      server.start();
      ++begun_before;
    }
  }
  const auto client = server.client();
  const auto there = objects_there(*client);
  std::set<std::int64_t> acknowledged;
  for (Written& one : written) {
    one.check(there);
    acknowledged.insert(one.versions().begin(), one.versions().end());
  }
  // What the watch has seen, when it has seen the last of all.
  auto last = k8s::make<k8s::ConfigMap>("last", home);
  give(last, 1);
  const auto end = client->create(config_maps, last);
  ASSERT_TRUE(end) << end.error().message;
  {
    const std::jthread following([&] { follower.follow(*client); });
    EXPECT_TRUE(testing::eventually([&] { return follower.has_seen(version_of(*end)); }));
    server.kill();
  }
  auto followed = follower.objects();
  EXPECT_EQ(followed.erase("last"), 1U);
  EXPECT_EQ(followed.size(), there.size());
  for (const auto& [name, object] : there) {
    const auto found = followed.find(name);
    ASSERT_NE(found, followed.end()) << name;
    EXPECT_TRUE(k8s::equal(found->second.json(), object.json())) << name;
  }
  for (const std::int64_t version : acknowledged) {
    EXPECT_TRUE(follower.versions().contains(version)) << "a watch has not seen version " << version;
  }
  EXPECT_EQ(server.log(), "");
  std::printf("killed %d times, %zu times while it started: %zu writes were acknowledged, and are there\n",
              rounds + static_cast<int>(begun_before), begun_before, acknowledged.size());
}

}  // namespace
}  // namespace fairway::conformance
