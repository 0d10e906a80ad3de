// SPDX-License-Identifier: Apache-2.0

// What is kept of watches that have ended, and of those that nobody reads.
#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apiserver/internal/watch/watch_hub.h"
#include "apiserver/objects_case.h"
#include "support/eventually.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

class Watching : public WithObjects {
 protected:
  void watch(std::chrono::nanoseconds time) {
    watch::WatchSpec spec;
    auto events = memory->watch({.resource = "configmaps", .namespace_name = "", .from = memory->revision()});
    spec.events = *std::move(events);
    spec.stream = http::Stream::make();
    spec.form = std::make_shared<const watch::ObjectForm>(find("configmaps"), k8s::GroupVersionKind(),
                                                          watch::IncludeObject::metadata, Clock::system());
    spec.bookmarks = true;
    spec.until = clock.steady() + time;
    hub.add(std::move(spec));
  }
  /// Makes ConfigMaps of 100 kB: "map-100" and those after it.
  storage::List make_large(int count) {
    const resources::ServedResourcePtr maps = find("configmaps");
    for (int i = 0; i < count; ++i) {
      k8s::Dynamic object;
      object.set("kind", "ConfigMap");
      object.set("apiVersion", "v1");
      object.set_name("map-" + std::to_string(100 + i));
      object.set_namespace_name("default");
      object.set("data.k", std::string(100'000, 'x'));
      if (!objects.create(*maps, std::move(object), {})) throw std::runtime_error("no object was made");
    }
    return memory->list({.resource = "configmaps"}).value();
  }

  FakeClock clock;
  watch::WatchHub hub{clock};
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

/// A watch of a test's own.
class MadeWatch final : public storage::Watch {
 public:
  MadeWatch(std::function<storage::WatchBatch(std::size_t limit)> poll, bool may_block)
      : poll_(std::move(poll)), may_block_(may_block) {}
  storage::WatchBatch poll(std::size_t limit) override { return poll_(limit); }
  void on_ready(std::function<void()> ready) override {
    if (ready && may_block_) ready();
  }
  bool may_block() const override { return may_block_; }
  storage::Revision revision() const override { return 1; }

 private:
  std::function<storage::WatchBatch(std::size_t limit)> poll_;
  bool may_block_;
};

/// Watches of several users, on streams that are always read.
class Crowd : public Watching {
 protected:
  void add(const std::string& user, std::unique_ptr<storage::Watch> events, const std::string& fields = "") {
    const resources::ServedResourcePtr maps = find("configmaps");
    watch::WatchSpec spec;
    spec.events = std::move(events);
    spec.stream = std::make_shared<ReadStream>(cancel.get_token());
    spec.flow = user;
    spec.form = std::make_shared<const watch::ObjectForm>(maps, k8s::GroupVersionKind(),
                                                          watch::IncludeObject::metadata, Clock::system());
    spec.selection = objects::Selection::of(maps, {}, k8s::FieldSelector::parse(fields).value()).value();
    spec.until = clock.steady() + 1h;
    hub.add(std::move(spec));
  }
  /// Ends all watches, before what they use does.
  struct End {
    ~End() {
      crowd.cancel.request_stop();
      EXPECT_TRUE(fairway::testing::eventually([&] { return crowd.hub.size() == 0; }));
    }
    Crowd& crowd;
  };

  /// Returns an event of an existing object.
  storage::EventPtr event() {
    if (!made) {
      make("configmaps", "some");
      made = memory->list({.resource = "configmaps"}).value().records.front();
    }
    auto one = std::make_shared<storage::Event>();
    one->record = made;
    return one;
  }

  class ReadStream final : public http::Stream {
   public:
    explicit ReadStream(std::stop_token cancelled) : cancelled_(std::move(cancelled)) {}
    bool try_push(http::Bytes piece) override {
      const std::scoped_lock lock(mutex_);
      ++pieces_;
      text_ += *piece;
      return true;
    }
    Result<void> push(http::Bytes, SteadyTime) override { throw std::logic_error("a hub does not wait"); }
    void close(bool) override {}
    bool has_room() const override { return true; }
    void on_room(std::function<void()> ready) override {
      if (ready) ready();
    }
    std::stop_token cancelled() const override { return cancelled_; }
    int pieces() const {
      const std::scoped_lock lock(mutex_);
      return pieces_;
    }
    std::string text() const {
      const std::scoped_lock lock(mutex_);
      return text_;
    }

   private:
    std::stop_token cancelled_;
    mutable std::mutex mutex_;
    int pieces_ = 0;
    std::string text_;
  };

  /// Adds a watch that begins with a list.
  std::shared_ptr<ReadStream> add_list(storage::List list, const k8s::GroupVersionKind& as,
                                       std::chrono::seconds time = 1h) {
    auto stream = std::make_shared<ReadStream>(cancel.get_token());
    watch::WatchSpec spec;
    spec.stream = stream;
    spec.flow = "lists";
    spec.form = std::make_shared<const watch::ObjectForm>(find("configmaps"), as, watch::IncludeObject::none,
                                                          Clock::system());
    spec.selection = objects::Selection::of(find("configmaps"), {}, {}).value();
    spec.initial_query = {.resource = "configmaps", .namespace_name = "", .revision = list.revision};
    spec.storage = memory;
    spec.initial_end = list.revision;
    auto events = memory->watch({.resource = "configmaps", .namespace_name = "", .from = list.revision});
    spec.events = *std::move(events);
    spec.initial = std::move(list.records);
    spec.until = clock.steady() + time;
    hub.add(std::move(spec));
    return stream;
  }

  std::stop_source cancel;
  storage::RecordPtr made;
};

/// Returns a watch without events that calls `polled` when it is polled.
std::unique_ptr<storage::Watch> watch_that(std::function<void()> polled) {
  return std::make_unique<MadeWatch>(
      [polled = std::move(polled)](std::size_t) {
        polled();
        return storage::WatchBatch{};
      },
      false);
}

TEST_F(Crowd, IsNotHeldUpByAWatchThatReadsTheFile) {
  std::latch reads{1}, let_go{1}, served{1};
  std::once_flag once;
  const End end{*this};
  add("a", std::make_unique<MadeWatch>(
               [&](std::size_t) {
                 std::call_once(once, [&] { reads.count_down(); });
                 let_go.wait();
                 return storage::WatchBatch{};
               },
               true));
  reads.wait();
  add("b", watch_that([&] { served.count_down(); }));
  EXPECT_TRUE(fairway::testing::eventually([&] { return served.try_wait(); }));
  let_go.count_down();
}

TEST_F(Crowd, TakesTurnsWithTheFile) {
  std::mutex mutex;
  std::string polls;
  std::latch reads{1}, let_go{1};
  const auto add_of = [&](const std::string& user) {
    add(user, std::make_unique<MadeWatch>(
                  [&, user](std::size_t) {
                    const std::scoped_lock lock(mutex);
                    if (polls.size() < 20) polls += user;
                    return storage::WatchBatch{.events = {event()}, .revision = 1, .end = {}, .reason = ""};
                  },
                  true));
  };
  event();
  std::once_flag once;
  const End end{*this};
  add("c", std::make_unique<MadeWatch>(
               [&](std::size_t) {
                 std::call_once(once, [&] {
                   reads.count_down();
                   let_go.wait();
                 });
                 return storage::WatchBatch{
                     .events = {}, .revision = 1, .end = storage::WatchEnd::slow, .reason = ""};
               },
               true));
  reads.wait();
  for (int i = 0; i < 10; ++i) add_of("a");
  add_of("b");
  let_go.count_down();
  ASSERT_TRUE(fairway::testing::eventually([&] {
    const std::scoped_lock lock(mutex);
    return polls.size() == 20;
  }));
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(polls, "abababababababababab");
}

TEST_F(Crowd, IsNotHeldUpByAWatchThatSelectsNothing) {
  std::vector<storage::EventPtr> events(1000, event());
  std::latch reads{1}, served{1};
  std::once_flag once;
  const End end{*this};
  add("a",
      std::make_unique<MadeWatch>(
          [&](std::size_t limit) {
            std::call_once(once, [&] { reads.count_down(); });
            return storage::WatchBatch{
                .events = {events.begin(), events.begin() + static_cast<std::ptrdiff_t>(limit)},
                .revision = 1,
                .end = {},
                .reason = ""};
          },
          false),
      "metadata.name=none");
  reads.wait();
  add("b", watch_that([&] { served.count_down(); }));
  EXPECT_TRUE(fairway::testing::eventually([&] { return served.try_wait(); }));
}

TEST_F(Crowd, TakesTurnsAlsoWhereMuchIsReadForLittle) {
  constexpr int count = 20;
  const End end{*this};
  const auto stream = add_list(make_large(count), {"meta.k8s.io", "v1", "Table"});
  EXPECT_TRUE(fairway::testing::eventually([&] { return stream->text().contains("initial-events-end"); }));
  EXPECT_LT(stream->text().size(), 100'000U);
  EXPECT_GE(stream->pieces(), count / 3) << "a turn reads no more than about a piece has";
}

/// A watch that waits for its turn. Parameter true: it should have ended before its objects are released.
class CrowdAtItsEnd : public Crowd, public ::testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(Due, CrowdAtItsEnd, ::testing::Bool());

TEST_P(CrowdAtItsEnd, HoldsNothingOldWhileItWaitsForATurn) {
  const bool is_due = GetParam();
  std::latch is_fed{1}, let_go{1};
  std::once_flag once;
  const End end{*this};
  add("a", watch_that([&] {
        std::call_once(once, [&] {
          is_fed.count_down();
          let_go.wait();
        });
      }));
  is_fed.wait();
  storage::List list = make_large(5);
  const storage::RecordPtr last = list.records.back();
  const auto stream = add_list(std::move(list), {}, is_due ? 0s : 1h);
  const long holders = last.use_count();
  const bool let_go_of_it = fairway::testing::eventually([&] {
    clock.advance(1s);
    return last.use_count() < holders;
  });
  EXPECT_TRUE(let_go_of_it);
  let_go.count_down();
  if (is_due) return;
  EXPECT_TRUE(fairway::testing::eventually([&] { return stream->text().contains("initial-events-end"); }));
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(stream->text().contains("\"name\":\"map-" + std::to_string(100 + i) + '"')) << i;
}

TEST_F(Crowd, EndsOnceWhereItsTimeComesWithTheEndOfItsResource) {
  for (int round = 0; round < 300; ++round) {
    FakeClock time;
    watch::WatchHub watches{time};
    std::stop_source retired;
    auto resource = std::make_shared<resources::ServedResource>(*find("configmaps"));
    resource->retired = retired.get_token();
    const auto form = std::make_shared<const watch::ObjectForm>(resource, k8s::GroupVersionKind(),
                                                                watch::IncludeObject::none, Clock::system());
    for (int i = 0; i < 10; ++i) {
      watch::WatchSpec spec;
      spec.events = watch_that([] {});
      spec.stream = http::Stream::make();
      spec.form = form;
      spec.bookmarks = true;
      spec.until = time.steady() + 1h;
      watches.add(std::move(spec));
    }
    time.wait_for_waiters(1);
    std::latch both{2};
    std::jthread ends([&] {
      both.arrive_and_wait();
      retired.request_stop();
    });
    both.arrive_and_wait();
    time.advance(60s);
    ASSERT_TRUE(fairway::testing::eventually([&] { return watches.size() == 0; })) << round;
  }
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
  void close(bool broken) override {
    broken_ = broken;
    ended_ = true;
  }
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

  /// Returns the text since the last call.
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
  /// Makes room for everything from now on.
  void widen() {
    const std::scoped_lock lock(mutex_);
    capacity_ = std::size_t{1} << 30;
  }
  bool ended() const { return ended_; }
  bool broken() const { return broken_; }
  std::size_t holds() const {
    const std::scoped_lock lock(mutex_);
    return held_;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t capacity_;
  std::size_t held_ = 0;
  std::string text_;
  std::function<void()> ready_;
  std::atomic<bool> ended_ = false, broken_ = false;
  std::stop_source cancel_;
};

/// A watch of 40 objects of 100 kB whose client reads when the test does.
class Unread : public Watching {
 protected:
  static constexpr int count = 40;
  static constexpr std::size_t queue_bytes = 512 << 10;

  Unread() {
    make_large(count);
    begin(stream);
  }

  void begin(const std::shared_ptr<HeldStream>& to) {
    const resources::ServedResourcePtr maps = find("configmaps");
    storage::List all = memory->list({.resource = "configmaps"}).value();
    last = all.records.back();
    watch::WatchSpec spec;
    spec.stream = to;
    spec.form = std::make_shared<const watch::ObjectForm>(maps, k8s::GroupVersionKind(),
                                                          watch::IncludeObject::none, Clock::system());
    spec.initial_query = {.resource = "configmaps", .namespace_name = "", .revision = all.revision};
    spec.storage = memory;
    spec.initial = std::move(all.records);
    spec.initial_end = all.revision;
    spec.bookmarks = true;
    spec.selection = objects::Selection::of(maps, {}, {}).value();
    auto events = memory->watch({.resource = "configmaps", .namespace_name = "", .from = all.revision});
    spec.events = *std::move(events);
    spec.until = clock.steady() + 1h;
    hub.add(std::move(spec));
  }

  /// Returns everything up to `text`, or to the stream's end.
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
  // The timer waits for its timeout.
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
    // It takes nothing for longer than the hub's timeout.
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

TEST_F(Unread, HasBookmarksAgainOnceItsClientHasRead) {
  ASSERT_TRUE(fairway::testing::eventually([&] { return !stream->has_room(); }));
  for (int i = 0; i < 3; ++i) {
    clock.wait_for_waiters(1);
    clock.advance(1s);
  }
  // It is never slow again, so that no other time but that of the bookmark comes.
  stream->widen();
  EXPECT_TRUE(read_to("k8s.io/initial-events-end").contains("map-139"));
  clock.wait_for_waiters(1);
  clock.advance(60s);
  EXPECT_TRUE(read_to("\"type\":\"BOOKMARK\"").contains("BOOKMARK"));
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

TEST_F(Unread, TellsHalfAnEventFromAWholeOne) {
  std::vector<std::shared_ptr<HeldStream>> streams;
  for (std::size_t capacity = 1'000; capacity < queue_bytes; capacity += 50'000) {
    streams.push_back(std::make_shared<HeldStream>(capacity));
    begin(streams.back());
  }
  for (const auto& one : streams) ASSERT_TRUE(fairway::testing::eventually([&] { return !one->has_room(); }));
  clock.wait_for_waiters(1);
  clock.advance(2h);
  ASSERT_TRUE(fairway::testing::eventually([&] { return hub.size() == 0; }));
  int halves = 0;
  for (const auto& one : streams) {
    const bool is_half = !one->read().ends_with('\n');
    EXPECT_EQ(one->broken(), is_half);
    halves += is_half ? 1 : 0;
  }
  EXPECT_GT(halves, 0);
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
