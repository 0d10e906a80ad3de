// What is kept of watches that have ended, and of those that nobody reads.
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "apiserver/objects_case.h"
#include "apiserver/watch/internal/watch_hub.h"
#include "support/eventually.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

class Watching : public WithObjects {
 protected:
  void watch(std::chrono::nanoseconds time) {
    WatchSpec spec;
    auto events = memory->watch({.resource = "configmaps", .namespace_name = "", .from = memory->revision()});
    spec.events = *std::move(events);
    spec.stream = http::Stream::make();
    spec.form = std::make_shared<const ObjectForm>(find("configmaps"), k8s::GroupVersionKind(),
                                                   IncludeObject::metadata, Clock::system());
    spec.bookmarks = true;
    spec.until = clock.steady() + time;
    hub.add(std::move(spec));
  }
  FakeClock clock;
  WatchHub hub{clock};
};

TEST_F(Watching, LeavesNoTimesBehind) {
  constexpr std::size_t count = 100;
  for (std::size_t i = 0; i < count; ++i) watch(1h);
  EXPECT_EQ(hub.timers(), count);
  // They end before their time.
  memory->close();
  while (hub.size() > 0) std::this_thread::yield();
  EXPECT_EQ(hub.timers(), 0U);
}

/// A stream whose client reads when the test does.
class HeldStream final : public http::Stream {
 public:
  explicit HeldStream(std::size_t capacity) : capacity_(capacity) {}

  bool try_push(http::Bytes piece) override {
    const std::scoped_lock lock(mutex_);
    if (held_ > capacity_ / 2 && held_ + piece->size() > capacity_) return false;
    held_ += piece->size();
    text_ += *piece;
    return true;
  }
  Result<void> push(http::Bytes, SteadyTime) override { throw std::logic_error("a hub does not wait"); }
  void close(bool) override { ended_ = true; }
  bool has_room() const override {
    const std::scoped_lock lock(mutex_);
    return held_ <= capacity_ / 2;
  }
  void on_room(std::function<void()> ready) override {
    {
      const std::scoped_lock lock(mutex_);
      if (!ready || held_ > capacity_ / 2) {
        ready_ = std::move(ready);
        return;
      }
    }
    ready();
  }
  std::stop_token cancelled() const override { return cancel_.get_token(); }

  /// What has come since the last time.
  std::string read() {
    std::function<void()> ready;
    std::string text;
    {
      const std::scoped_lock lock(mutex_);
      held_ = 0;
      text.swap(text_);
      ready = std::exchange(ready_, {});
    }
    if (ready) ready();
    return text;
  }
  bool ended() const { return ended_; }
  std::size_t holds() const {
    const std::scoped_lock lock(mutex_);
    return held_;
  }

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::size_t held_ = 0;
  std::string text_;
  std::function<void()> ready_;
  std::atomic<bool> ended_ = false;
  std::stop_source cancel_;
};

/// A watch of 40 objects of 100 kB whose client reads when the test does.
class Unread : public Watching {
 protected:
  static constexpr int count = 40;
  static constexpr std::size_t object_bytes = 100'000, queue_bytes = 512 << 10;

  Unread() {
    const ServedResourcePtr maps = find("configmaps");
    for (int i = 0; i < count; ++i) {
      k8s::Dynamic object;
      object.set("kind", "ConfigMap");
      object.set("apiVersion", "v1");
      object.set_name("map-" + std::to_string(100 + i));
      object.set_namespace_name("default");
      object.set("data.k", std::string(object_bytes, 'x'));
      if (!objects.create(*maps, std::move(object), {})) throw std::runtime_error("no object was made");
    }
    auto all = memory->list({.resource = "configmaps"});
    if (!all) throw std::runtime_error(all.error().error.message);
    last = all->records.back();
    WatchSpec spec;
    spec.stream = stream;
    spec.form = std::make_shared<const ObjectForm>(maps, k8s::GroupVersionKind(), IncludeObject::none,
                                                   Clock::system());
    spec.initial_query = {.resource = "configmaps", .namespace_name = "", .revision = all->revision};
    spec.storage = memory;
    spec.initial = std::move(all->records);
    spec.initial_end = all->revision;
    spec.selection = Selection::of(maps, {}, {}).value();
    auto events = memory->watch({.resource = "configmaps", .namespace_name = "", .from = all->revision});
    spec.events = *std::move(events);
    spec.until = clock.steady() + 1h;
    hub.add(std::move(spec));
  }

  /// All that comes until `text` does, or the stream's end.
  std::string read_to(const std::string& text) {
    std::string got;
    const bool came = fairway::testing::eventually([&] {
      const bool ended = stream->ended();
      got += stream->read();
      return ended || got.contains(text);
    });
    EXPECT_TRUE(came);
    return got;
  }

  storage::RecordPtr last;
  std::shared_ptr<HeldStream> stream = std::make_shared<HeldStream>(queue_bytes);
};

TEST_F(Unread, HoldsAFewPiecesAndLetsGoOfTheRest) {
  ASSERT_TRUE(fairway::testing::eventually([&] { return !stream->has_room(); }));
  // The timer waits for the end of its patience.
  clock.wait_for_waiters(1);
  const long holders = last.use_count();
  ASSERT_TRUE(fairway::testing::eventually([&] {
    clock.advance(1s);
    return last.use_count() < holders;
  }));
  const std::string got = read_to("k8s.io/initial-events-end");
  std::size_t at = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t found = got.find("\"name\":\"map-" + std::to_string(100 + i) + '"', at);
    ASSERT_NE(found, std::string::npos) << i;
    at = found;
  }
  EXPECT_EQ(got.find("\"type\":\"ADDED\"", at), std::string::npos);
  // And goes on with what happens.
  remove("configmaps", "map-100");
  EXPECT_TRUE(read_to("\"type\":\"DELETED\"").contains("\"type\":\"DELETED\""));
}

TEST_F(Unread, LosesNothingHoweverOftenItsClientRests) {
  std::string got;
  while (!got.contains("k8s.io/initial-events-end")) {
    ASSERT_TRUE(fairway::testing::eventually([&] { return stream->holds() > 0; }));
    // It takes nothing for longer than the hub is patient.
    for (int i = 0; i < 3; ++i) {
      clock.wait_for_waiters(1);
      clock.advance(1s);
    }
    got += stream->read();
  }
  for (int i = 0; i < count; ++i) {
    const std::string name = "\"name\":\"map-" + std::to_string(100 + i) + '"';
    const std::size_t found = got.find(name);
    ASSERT_NE(found, std::string::npos) << i;
    EXPECT_EQ(got.find("{\"type\":\"ADDED\"", got.find(name, found + 1)), std::string::npos) << i;
  }
}

TEST_F(Unread, EndsInTimeAlsoAfterItsClientHasRead) {
  ASSERT_TRUE(fairway::testing::eventually([&] { return !stream->has_room(); }));
  EXPECT_TRUE(read_to("k8s.io/initial-events-end").contains("map-139"));
  // First the time at which it would have let go of its objects.
  for (int i = 0; i < 3; ++i) {
    clock.wait_for_waiters(1);
    clock.advance(1s);
  }
  EXPECT_EQ(hub.size(), 1U);
  clock.wait_for_waiters(1);
  clock.advance(2h);
  EXPECT_TRUE(fairway::testing::eventually([&] { return hub.size() == 0; }));
}

TEST_F(Unread, EndsWhereTheRestIsNotKeptAnyMore) {
  ASSERT_TRUE(fairway::testing::eventually([&] { return !stream->has_room(); }));
  clock.wait_for_waiters(1);
  const long holders = last.use_count();
  ASSERT_TRUE(fairway::testing::eventually([&] {
    clock.advance(1s);
    return last.use_count() < holders;
  }));
  remove("configmaps", "map-100");
  ASSERT_TRUE(memory->compact(memory->revision()));
  const std::string got = read_to("\"type\":\"ERROR\"");
  EXPECT_TRUE(got.contains("\"reason\":\"Expired\"") && got.contains("\"code\":410"))
      << got.substr(got.size() - 300);
  EXPECT_TRUE(fairway::testing::eventually([&] { return hub.size() == 0; }));
}

}  // namespace
}  // namespace fairway::apiserver::testing
