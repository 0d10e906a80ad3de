// SPDX-License-Identifier: Apache-2.0

// The storage, in memory and in a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "storage_case.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::storage {
namespace {

using namespace std::chrono_literals;

class StorageTest : public ::testing::TestWithParam<bool> {
 protected:
  StorageTest() { open(); }
  void open() {
    options_.clock = &clock_;
    auto opened =
        GetParam() ? open_memory_storage(options_) : open_storage(folder_ / "data/storage.db", options_);
    if (!opened) throw std::runtime_error(opened.error().message);
    storage_ = std::move(*opened);
  }
  /// Closes and opens the file. Returns false in memory.
  bool reopen() {
    if (GetParam()) return false;
    storage_.reset();
    open();
    return true;
  }
  std::string list(const ListQuery& query) {
    auto list = storage_->list(query);
    if (!list) return "error " + std::to_string(static_cast<int>(list.error().kind));
    auto result = text(list->records);
    if (list->remaining != 0) result += " +" + std::to_string(list->remaining);
    return result;
  }
  std::unique_ptr<Watch> watch(Revision from, const std::string& namespace_name = "") {
    auto made = storage_->watch({"configmaps", namespace_name, from});
    if (!made) throw std::runtime_error(made.error().error.message);
    return std::move(*made);
  }

  fairway::testing::TempDirectory folder_;
  FakeClock clock_{WallTime{} + 1'000'000h};
  StorageOptions options_;
  std::unique_ptr<Storage> storage_;
};

INSTANTIATE_TEST_SUITE_P(Of, StorageTest, ::testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "Memory" : "File"); });

/// Tests of a storage in a file only.
class StorageFileTest : public StorageTest {};

INSTANTIATE_TEST_SUITE_P(Of, StorageFileTest, ::testing::Values(false),
                         [](const auto&) { return std::string("File"); });

TEST_P(StorageTest, AnObjectIsCreatedUpdatedAndDeleted) {
  auto a = config_map("a");
  EXPECT_EQ(storage_->revision(), 1);
  EXPECT_EQ(*storage_->get(a), nullptr);
  EXPECT_EQ(write(*storage_, create(a, "one")), 2);
  auto record = *storage_->get(a);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->json(),
            R"({"metadata":{"resourceVersion":"2","name":"a","namespace":"default"},"data":{"k":"one"}})");
  EXPECT_EQ(write(*storage_, update(a, 2, "two")), 3);
  EXPECT_EQ((*storage_->get(a))->revision(), 3);
  EXPECT_EQ(record->revision(), 2) << "a record is immutable";
  auto deleted = storage_->write(remove(a));
  ASSERT_TRUE(deleted);
  ASSERT_FALSE(deleted->conflict);
  EXPECT_EQ(deleted->records[0]->json(),
            R"({"metadata":{"resourceVersion":"4","name":"a","namespace":"default"},"data":{"k":"two"}})");
  EXPECT_EQ(*storage_->get(a), nullptr);
  EXPECT_EQ(storage_->revision(), 4);
}

TEST_P(StorageTest, AConflictShowsTheObjectAsItIs) {
  auto a = config_map("a"), b = config_map("b");
  write(*storage_, create(a));
  auto again = storage_->write(create(a));
  ASSERT_TRUE(again && again->conflict);
  EXPECT_EQ(again->conflict->current->revision(), 2);
  EXPECT_TRUE(again->records.empty());
  auto stale = storage_->write(update(a, 1, "x"));
  ASSERT_TRUE(stale && stale->conflict);
  EXPECT_EQ(stale->conflict->current->revision(), 2);
  for (const auto& change : {update(b, 2, "x"), remove(b)}) {
    auto absent = storage_->write(change);
    ASSERT_TRUE(absent && absent->conflict);
    EXPECT_EQ(absent->conflict->current, nullptr);
  }
  EXPECT_EQ(storage_->revision(), 2) << "a conflict changes nothing";
}

TEST_P(StorageTest, ATransactionIsWrittenWholeOrNotAtAll) {
  auto a = config_map("a"), b = config_map("b");
  std::vector<Change> both;
  both.push_back(create(a));
  both.push_back(create(b));
  auto written = storage_->write(both);
  ASSERT_TRUE(written);
  EXPECT_EQ(text(written->records), "default/a=2 default/b=3");
  both = {};
  both.push_back(update(a, 2, "x"));
  both.push_back(create(b));
  written = storage_->write(both);
  ASSERT_TRUE(written && written->conflict);
  EXPECT_EQ(written->conflict->change, 1u);
  EXPECT_EQ(list({"configmaps"}), "default/a=2 default/b=3");
  both = {};
  both.push_back(put(a, "x"));
  both.push_back(put(a, "y"));
  EXPECT_FALSE(storage_->write(both)) << "a key twice";
}

TEST_P(StorageTest, AListIsInTheOrderOfPathsAndInPages) {
  for (const char* name : {"a/x", "a-b/x", "a/y", "b/x", "a.c/x"}) {
    std::string path = name;
    write(*storage_, create(config_map(path.substr(path.find('/') + 1), path.substr(0, path.find('/')))));
  }
  EXPECT_EQ(list({"configmaps"}), "a-b/x=3 a.c/x=6 a/x=2 a/y=4 b/x=5") << "as etcd sorts them";
  EXPECT_EQ(list({"configmaps", "a"}), "a/x=2 a/y=4");
  EXPECT_EQ(list({"configmaps", "a", "", 1}), "a/x=2 +1");
  EXPECT_EQ(list({"configmaps", "a", "a/x", 1}), "a/y=4");
  EXPECT_EQ(list({"configmaps", "", "a-b/x", 2}), "a.c/x=6 a/x=2 +2");
  EXPECT_EQ(list({"configmaps", "", "a-z/x", 2}), "a.c/x=6 a/x=2 +2") << "after a path that is not there";
  EXPECT_EQ(list({"configmaps", "", "b/x"}), "");
  EXPECT_EQ(list({"configmaps", "a", "b/x"}), "") << "after the namespace";
  EXPECT_EQ(list({"configmaps", "none"}), "");
  EXPECT_EQ(list({"secrets"}), "");
}

TEST_P(StorageTest, PagesOfOneRevisionAreConsistent) {
  for (int i = 0; i < 9; ++i) write(*storage_, create(config_map("n" + std::to_string(i))));  // 2..10
  write(*storage_, remove(config_map("n4")));
  write(*storage_, put(config_map("n5"), "new"));
  write(*storage_, create(config_map("n44")));
  write(*storage_, remove(config_map("n8")));
  write(*storage_, create(config_map("n8")));
  write(*storage_, remove(config_map("n0")));
  write(*storage_, create(config_map("other", "z")));
  for (bool restarted : {false, true}) {
    if (restarted && !reopen()) break;
    EXPECT_EQ(list({"configmaps", "", "", 4, 10}), "default/n0=2 default/n1=3 default/n2=4 default/n3=5 +5");
    EXPECT_EQ(list({"configmaps", "default", "default/n3", 4, 10}),
              "default/n4=6 default/n5=7 default/n6=8 default/n7=9 +1");
    EXPECT_EQ(list({"configmaps", "", "default/n7", 4, 10}), "default/n8=10");
    EXPECT_EQ(list({"configmaps", "", "default/n3", 2, 13}), "default/n44=13 default/n5=12 +3");
    EXPECT_EQ(list({"configmaps", "", "", 0, 3}), "default/n0=2 default/n1=3");
    EXPECT_EQ(list({"configmaps", "", "", 0, 1}), "");
    EXPECT_EQ((*storage_->get(config_map("n4"), 10))->revision(), 6);
    EXPECT_EQ(*storage_->get(config_map("n4"), 11), nullptr);
    EXPECT_EQ((*storage_->get(config_map("n5"), 11))->revision(), 7);
    EXPECT_EQ(list({"configmaps", "", "", 0, 100}),
              "error " + std::to_string(static_cast<int>(ReadError::Kind::ahead)));
  }
}

TEST_P(StorageTest, AWatchHasAllEventsAfterItsRevision) {
  auto a = config_map("a");
  write(*storage_, create(a, "1"));
  auto all = watch(1), later = watch(2), other = watch(1, "other");
  write(*storage_, put(a, "2"));
  write(*storage_, create(config_map("b", "other")));
  write(*storage_, create({"secrets", "default", "s"}));
  write(*storage_, remove(a));
  EXPECT_EQ(drain(*all), "added default/a=2, modified default/a=3, added other/b=4, deleted default/a=6");
  EXPECT_EQ(drain(*later), "modified default/a=3, added other/b=4, deleted default/a=6");
  EXPECT_EQ(drain(*other), "added other/b=4");
  write(*storage_, create({"secrets", "default", "t"}));
  auto batch = other->poll();
  EXPECT_TRUE(batch.events.empty());
  EXPECT_EQ(batch.revision, 7) << "for a bookmark: nothing up to here was missed";
  EXPECT_EQ(all->poll().revision, 7);
  auto ahead = storage_->watch({"configmaps", "", 8});
  ASSERT_FALSE(ahead);
  EXPECT_EQ(ahead.error().kind, ReadError::Kind::ahead);
}

TEST_P(StorageTest, AnEventHasTheObjectBeforeAndAfter) {
  auto a = config_map("a");
  auto events = watch(1);
  write(*storage_, create(a, "1"));
  write(*storage_, put(a, "2"));
  write(*storage_, remove(a));
  for (bool restarted : {false, true}) {
    if (restarted) {
      if (!reopen()) break;
      events = watch(1);
    }
    auto batch = events->poll();
    ASSERT_EQ(batch.events.size(), 3u);
    EXPECT_EQ(batch.events[0]->previous, nullptr);
    EXPECT_EQ(batch.events[1]->previous->json(), batch.events[0]->record->json());
    EXPECT_EQ(batch.events[2]->previous->json(), batch.events[1]->record->json());
    EXPECT_EQ(batch.events[2]->record->json(),
              R"({"metadata":{"resourceVersion":"4","name":"a","namespace":"default"},"data":{"k":"2"}})");
  }
}

TEST_P(StorageTest, WatchersShareAnEventAndWhatIsDerivedOfIt) {
  auto first = watch(1), second = watch(1);
  write(*storage_, create(config_map("a")));
  int made = 0;
  auto frame = [&](const EventPtr& event) -> const std::string& {
    return event->derived.get<std::string>(1, [&] { return "frame " + std::to_string(++made); });
  };
  EXPECT_EQ(frame(first->poll().events.at(0)), "frame 1");
  EXPECT_EQ(frame(second->poll().events.at(0)), "frame 1");
}

TEST_P(StorageFileTest, AWatchGoesOnAfterARestart) {
  auto a = config_map("a");
  write(*storage_, create(a, "1"));
  auto before = watch(2);
  write(*storage_, put(a, "2"));
  write(*storage_, put(a, "3"));
  storage_->close();
  EXPECT_EQ(before->poll().end, WatchEnd::closed);
  EXPECT_FALSE(storage_->write(put(a, "4"))) << "closed";
  ASSERT_TRUE(reopen());
  EXPECT_EQ(storage_->revision(), 4);
  EXPECT_EQ(drain(*watch(2)), "modified default/a=3, modified default/a=4");
  EXPECT_EQ(list({"configmaps"}), "default/a=4");
  EXPECT_EQ(write(*storage_, remove(a)), 5);
  ASSERT_TRUE(reopen());
  EXPECT_EQ(storage_->revision(), 5);
  EXPECT_EQ(list({"configmaps"}), "");
}

TEST_P(StorageTest, ASlowWatchEndsAndANewOneGoesOn) {
  storage_.reset();
  options_.ring_events = 10;
  std::filesystem::remove_all(folder_ / "data");
  open();
  auto slow = watch(1);
  std::string expected;
  for (int i = 0; i < 35; ++i) {
    auto name = "n" + std::to_string(i % 5);
    write(*storage_, put(config_map(name), std::to_string(i)));
    expected += (i == 0 ? "" : ", ") + std::string(i < 5 ? "added" : "modified") + " default/" + name + "=" +
                std::to_string(i + 2);
  }
  auto batch = slow->poll();
  EXPECT_EQ(batch.end, WatchEnd::slow);
  EXPECT_EQ(batch.revision, 1);
  EXPECT_EQ(slow->poll().end, WatchEnd::slow) << "it stays ended";
  EXPECT_EQ(storage_->counts().slow_watches, 1u);
  // Out of the file first.
  auto next = watch(1);
  EXPECT_TRUE(next->may_block());
  EXPECT_EQ(drain(*next), expected);
  EXPECT_FALSE(next->may_block());
  write(*storage_, remove(config_map("n0")));
  EXPECT_EQ(drain(*next), "deleted default/n0=37");
  auto late = watch(35);
  EXPECT_EQ(drain(*late), "modified default/n4=36, deleted default/n0=37");
  EXPECT_EQ(list({"configmaps", "", "", 2, 8}), "default/n0=7 default/n1=8 +3") << "out of the file, too";
  EXPECT_EQ((*storage_->get(config_map("n0"), 9))->revision(), 7);
}

TEST_P(StorageTest, TheRingIsBoundedInBytes) {
  storage_.reset();
  options_.ring_bytes = 10'000;
  std::filesystem::remove_all(folder_ / "data");
  open();
  auto slow = watch(1);
  for (int i = 0; i < 5; ++i) write(*storage_, put(config_map("a"), std::string(3000, 'x')));
  EXPECT_EQ(slow->poll().end, WatchEnd::slow);
}

// The objects of a list lie in chunks, within and at whose ends pages begin.
TEST_P(StorageTest, PagesOfEachLengthAreTheWholeList) {
  std::vector<std::string> expected;
  for (int i = 1000; i < 1600; ++i) {
    const char* where = i % 3 == 0 ? "a" : "b";
    write(*storage_, create({"configmaps", where, "n" + std::to_string(i)}));
  }
  const List whole = storage_->list({"configmaps"}).value();
  for (const RecordPtr& record : whole.records) expected.push_back(record->path());
  ASSERT_EQ(expected.size(), 600U);
  EXPECT_TRUE(std::ranges::is_sorted(expected));
  for (const std::size_t limit : {1, 7, 199, 200, 201, 255, 256, 257, 600, 601}) {
    for (const Revision revision : {Revision{0}, storage_->revision()}) {
      std::vector<std::string> paths;
      std::size_t remaining = 0;
      do {
        const auto page =
            storage_->list({"configmaps", "", paths.empty() ? "" : paths.back(), limit, revision});
        ASSERT_TRUE(page);
        for (const RecordPtr& record : page->records) paths.push_back(record->path());
        remaining = page->remaining;
        ASSERT_EQ(paths.size() + remaining, expected.size()) << limit;
      } while (remaining > 0);
      EXPECT_EQ(paths, expected) << limit;
    }
  }
  EXPECT_EQ(storage_->list({"configmaps", "a"}).value().records.size(), 200U);
  EXPECT_EQ(storage_->list({"configmaps", "b", "", 150}).value().remaining, 250U);
}

// Whoever is slow to deliver a batch keeps it in memory.
TEST_P(StorageTest, ABatchOfAWatchIsBoundedInBytes) {
  storage_.reset();
  options_.ring_events = 4;
  std::filesystem::remove_all(folder_ / "data");
  open();
  for (int i = 0; i < 9; ++i) {
    const std::size_t bytes = i == 4 ? 2 * most_batch_bytes : most_batch_bytes / 3;
    write(*storage_, put(config_map("n" + std::to_string(i)), std::string(bytes, 'x')));
  }
  // Out of the file, and out of the ring.
  for (const Revision from : {1, 7}) {
    auto events = watch(from);
    Revision next = from;
    while (next < 10) {
      const WatchBatch batch = events->poll();
      ASSERT_FALSE(batch.events.empty()) << next;
      std::size_t bytes = 0;
      for (const EventPtr& event : batch.events) {
        EXPECT_EQ(event->revision(), ++next);
        bytes += event->record->json().size();
      }
      EXPECT_TRUE(batch.events.size() == 1 || bytes <= most_batch_bytes) << bytes;
      EXPECT_EQ(batch.revision, next);
    }
    EXPECT_TRUE(events->poll().events.empty());
  }
}

TEST_P(StorageTest, OldRevisionsAreCompacted) {
  auto a = config_map("a"), b = config_map("b"), c = config_map("c");
  write(*storage_, create(a, "1"));  // 2
  write(*storage_, put(a, "2"));     // 3
  write(*storage_, create(b, "1"));  // 4
  write(*storage_, remove(b));       // 5
  auto open_watch = watch(1);
  clock_.advance(6min);
  write(*storage_, create(c, "1"));  // 6
  EXPECT_EQ(storage_->compacted_revision(), 0);
  clock_.advance(6min);
  write(*storage_, put(c, "2"));  // 7
  // The write itself is answered before.
  ASSERT_TRUE(storage_->set_value("x", "y"));
  EXPECT_EQ(storage_->compacted_revision(), 5);
  for (bool restarted : {false, true}) {
    if (restarted && !reopen()) break;
    EXPECT_EQ(storage_->compacted_revision(), 5);
    auto old = storage_->watch({"configmaps", "", 4});
    ASSERT_FALSE(old);
    EXPECT_EQ(old.error().kind, ReadError::Kind::compacted);
    EXPECT_EQ(list({"configmaps", "", "", 0, 4}), "error 0");
    EXPECT_EQ(list({"configmaps", "", "", 0, 5}), "default/a=3");
    EXPECT_EQ(list({"configmaps", "", "", 0, 6}), "default/a=3 default/c=6");
    EXPECT_EQ(list({"configmaps"}), "default/a=3 default/c=7");
    EXPECT_EQ(drain(*watch(5)), "added default/c=6, modified default/c=7");
    EXPECT_EQ(storage_->get(a, 4).error().kind, ReadError::Kind::compacted);
    EXPECT_EQ((*storage_->get(a, 5))->revision(), 3);
  }
}

TEST_P(StorageTest, ACompactedDeletionDoesNotGiveItsRevisionAgain) {
  write(*storage_, create(config_map("a")));
  write(*storage_, remove(config_map("a")));
  ASSERT_TRUE(storage_->compact(3));
  EXPECT_EQ(storage_->compacted_revision(), 3);
  reopen();
  EXPECT_EQ(storage_->revision(), 3);
  EXPECT_EQ(write(*storage_, create(config_map("a"))), 4);
  EXPECT_FALSE(storage_->compact(5)) << "not reached yet";
}

TEST_P(StorageTest, AWatchThatReadsTheFileEndsWhenItIsCompacted) {
  storage_.reset();
  options_.ring_events = 2;
  std::filesystem::remove_all(folder_ / "data");
  open();
  for (int i = 0; i < 6; ++i) write(*storage_, put(config_map("a"), std::to_string(i)));
  auto behind = watch(1);
  ASSERT_TRUE(storage_->compact(5));
  EXPECT_EQ(drain(*behind), "end " + std::to_string(static_cast<int>(WatchEnd::compacted)));
}

TEST_P(StorageFileTest, ATimeThatWasAheadIsCompacted) {
  clock_.advance(100'000h);
  write(*storage_, put(config_map("a"), "1"));
  write(*storage_, put(config_map("a"), "2"));
  storage_.reset();
  FakeClock back(WallTime{} + 1'000'000h);
  options_.clock = &back;
  auto opened = open_storage(folder_ / "data/storage.db", options_);
  ASSERT_TRUE(opened);
  back.advance(2min);
  write(**opened, put(config_map("a"), "3"));
  ASSERT_TRUE((*opened)->set_value("x", "y"));
  EXPECT_EQ((*opened)->compacted_revision(), 3);
  opened->reset();
}

TEST_P(StorageTest, ADroppedResourceHasAnEventForEachObject) {
  for (int i = 0; i < 3; ++i) write(*storage_, create({"apps/widgets", "default", "w" + std::to_string(i)}));
  write(*storage_, create(config_map("a")));
  auto dropped = *storage_->watch({"apps/widgets", "", 3});
  auto other = watch(5);
  ASSERT_TRUE(storage_->drop("apps/widgets"));
  EXPECT_EQ(drain(*dropped),
            "added default/w2=4, deleted default/w0=6, deleted default/w1=7, deleted default/w2=8, end 2");
  EXPECT_EQ(drain(*other), "");
  EXPECT_EQ(list({"apps/widgets"}), "");
  EXPECT_EQ(list({"configmaps"}), "default/a=5");
  EXPECT_EQ(write(*storage_, create({"apps/widgets", "default", "w0"})), 9) << "it may come again";
}

TEST_P(StorageTest, OwnValuesAreKept) {
  EXPECT_EQ(*storage_->value("ca.key"), std::nullopt);
  ASSERT_TRUE(storage_->set_value("ca.key", std::string("a\0b", 3)));
  EXPECT_EQ(*storage_->value("ca.key"), std::string("a\0b", 3));
  ASSERT_TRUE(storage_->set_value("ca.key", "c"));
  reopen();
  EXPECT_EQ(*storage_->value("ca.key"), "c");
  EXPECT_EQ(*storage_->value("compacted"), std::nullopt) << "the storage's own values are apart";
}

TEST_P(StorageTest, AWatchWakesWhoWaits) {
  auto events = watch(1);
  std::atomic<int> woken{0};
  EXPECT_TRUE(events->poll().events.empty());
  events->on_ready([&] { ++woken; });
  EXPECT_EQ(woken, 0);
  write(*storage_, create(config_map("a")));
  EXPECT_EQ(woken, 1) << "before the write is answered";
  write(*storage_, create(config_map("b")));
  EXPECT_EQ(woken, 1) << "once";
  events->on_ready([&] { ++woken; });
  EXPECT_EQ(woken, 2) << "at once, as there are events";
  EXPECT_EQ(events->poll().events.size(), 2u);
  events->on_ready([&] { ++woken; });
  events->on_ready({});
  write(*storage_, create(config_map("c")));
  EXPECT_EQ(woken, 2);
  drain(*events);
  events->on_ready([&] { ++woken; });
  storage_->close();
  EXPECT_EQ(woken, 3);
  EXPECT_EQ(events->poll().end, WatchEnd::closed);
}

TEST_P(StorageTest, AWatchOfANamespaceSleepsWhileOthersChange) {
  storage_.reset();
  options_.ring_events = 20;
  std::filesystem::remove_all(folder_ / "data");
  open();
  for (int i = 0; i < 20; ++i) write(*storage_, put(config_map("a"), std::to_string(i)));
  auto events = watch(storage_->revision(), "quiet");
  std::atomic<int> woken{0};
  auto wait = [&] { events->on_ready([&] { ++woken; }); };
  EXPECT_TRUE(events->poll().events.empty());
  wait();
  int before = 0;
  for (int i = 0; i < 200; ++i) {
    write(*storage_, put(config_map("a"), std::to_string(i)));
    if (woken == before) continue;
    before = woken;
    auto batch = events->poll();
    EXPECT_TRUE(batch.events.empty());
    EXPECT_FALSE(batch.end) << "it is woken before it is overtaken";
    wait();
  }
  EXPECT_GE(woken, 10);
  EXPECT_LE(woken, 30);
  before = woken;
  write(*storage_, create(config_map("b", "quiet")));
  EXPECT_EQ(woken, before + 1);
  EXPECT_EQ(text(events->poll().events), "added quiet/b=" + std::to_string(storage_->revision()));
}

TEST_P(StorageTest, NextWaitsForAnEvent) {
  auto events = watch(1);
  std::jthread writer([&] {
    for (int i = 0; i < 200; ++i) write(*storage_, put(config_map("a"), std::to_string(i)));
  });
  Revision last = 1;
  while (last < 201) {
    auto batch = events->next(Clock::system(), Limits::within(Clock::system(), 60s));
    ASSERT_FALSE(batch.events.empty());
    for (const auto& event : batch.events) EXPECT_EQ(event->revision(), ++last);
  }
  EXPECT_TRUE(events->next(clock_, {clock_.steady(), {}}).events.empty()) << "the deadline has passed";
}

TEST_P(StorageTest, ManyThreadsWriteAndWatch) {
  constexpr int threads = 8, each = 100;
  std::atomic<int> conflicts{0};
  auto all = watch(1);
  std::vector<EventPtr> events;
  std::jthread watcher([&] {
    while (events.size() < threads * each) {
      auto batch = all->next(Clock::system(), Limits::within(Clock::system(), 60s));
      if (batch.events.empty()) return;
      events.insert(events.end(), batch.events.begin(), batch.events.end());
    }
  });
  {
    std::vector<std::jthread> writers;
    for (int thread = 0; thread < threads; ++thread) {
      writers.emplace_back([&] {
        // Each raises one counter, as a controller does.
        for (int done = 0; done < each;) {
          auto now = *storage_->get(config_map("counter"));
          auto change =
              now ? update(config_map("counter"), now->revision(), "x") : create(config_map("counter"));
          auto written = storage_->write(change);
          if (!written) return;
          if (written->conflict) {
            ++conflicts;
          } else {
            ++done;
            auto seen = *storage_->get(config_map("counter"));
            EXPECT_GE(seen->revision(), written->records[0]->revision()) << "what was written can be read";
          }
          auto list = storage_->list({"configmaps"});
          EXPECT_EQ(list->records.size(), 1u);
          EXPECT_GE(list->revision, list->records[0]->revision());
        }
      });
    }
  }
  watcher.join();
  EXPECT_EQ(storage_->revision(), 1 + threads * each);
  ASSERT_EQ(events.size(), static_cast<std::size_t>(threads * each));
  for (std::size_t i = 0; i < events.size(); ++i)
    EXPECT_EQ(events[i]->revision(), static_cast<Revision>(i) + 2);
  EXPECT_LE(storage_->counts().commits, static_cast<std::uint64_t>(threads * each));
}

TEST_P(StorageTest, AnAnswerComesWithoutWaiting) {
  std::atomic<int> answers{0};
  for (int i = 0; i < 50; ++i) {
    std::vector<Change> one;
    one.push_back(create(config_map("n" + std::to_string(i))));
    storage_->write_async(std::move(one), [&](Result<Written> written) {
      if (written && !written->conflict) ++answers;
    });
  }
  storage_->close();
  EXPECT_EQ(answers, 50) << "what was queued is written before the storage closes";
}

TEST_P(StorageTest, ACheckHasToHoldAndWritesNothing) {
  const Key guard = config_map("guard"), made = config_map("made");
  const Revision at = write(*storage_, create(guard));
  auto both = [&](Revision required) {
    std::vector<Change> changes;
    changes.push_back(create(made));
    changes.push_back(Change::require(guard, required));
    return storage_->write(std::move(changes));
  };
  const auto written = both(at);
  ASSERT_TRUE(written && !written->conflict);
  EXPECT_EQ(text(written->records),
            "default/made=" + std::to_string(at + 1) + " default/guard=" + std::to_string(at));
  EXPECT_EQ(storage_->revision(), at + 1);
  write(*storage_, remove(made));
  const Revision changed = write(*storage_, put(guard, "other"));
  const auto refused = both(at);
  ASSERT_TRUE(refused && refused->conflict);
  EXPECT_EQ(refused->conflict->change, 1U);
  EXPECT_EQ(refused->conflict->current->revision(), changed);
  EXPECT_EQ(*storage_->get(made), nullptr);
  EXPECT_EQ(storage_->revision(), changed) << "nothing was written";
  write(*storage_, remove(guard));
  EXPECT_TRUE(both(changed)->conflict);
  const auto alone = storage_->write(Change::require(guard, changed));
  EXPECT_TRUE(alone && alone->conflict);
}

}  // namespace
}  // namespace fairway::apiserver::storage
