// SPDX-License-Identifier: Apache-2.0

// The faults that users of the library inject.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "apiserver/faulty_storage.h"
#include "storage_case.h"

namespace fairway::apiserver::storage {
namespace {

FaultyStorage faulty(FaultOptions options) {
  auto inner = open_memory_storage();
  if (!inner) throw std::runtime_error(inner.error().message);
  return {std::move(*inner), options};
}

/// Writes and watches, as an informer does. Returns the final state that it saw, and the faults on the way.
std::string follow(FaultyStorage& storage, std::string& faults) {
  std::map<std::string, Revision> seen;
  Revision at = 1;
  auto watch = storage.watch({"configmaps", "", at});
  for (int i = 0; i < 60; ++i) {
    auto key = config_map("n" + std::to_string(i % 7));
    auto now = *storage.get(key);
    auto change = now ? update(key, now->revision(), std::to_string(i)) : create(key);
    auto written = storage.write(change);
    faults += !written ? 'f' : written->conflict ? 'c' : '.';
    while (true) {
      if (!watch) {
        // 410: list again.
        faults += 'x';
        auto list = storage.list({"configmaps"});
        seen.clear();
        for (const auto& record : list->records) seen[record->path()] = record->revision();
        at = list->revision;
      } else {
        auto batch = (*watch)->poll();
        for (const auto& event : batch.events) seen[event->record->path()] = event->revision();
        at = batch.revision;
        if (batch.end) faults += 'e';
        if (!batch.end && batch.events.empty() && at == storage.revision()) break;
        if (!batch.end) {
          if (batch.events.empty()) faults += 'l';
          continue;
        }
      }
      watch = storage.watch({"configmaps", "", at});
    }
  }
  std::string result;
  for (const auto& [path, revision] : seen) result += path + "=" + std::to_string(revision) + " ";
  return result;
}

std::string state(Storage& storage) {
  return text(storage.list({"configmaps"})->records) + " ";
}

TEST(StorageInjectedFaults, AClientThatBearsThemSeesTheStateInTheEnd) {
  FaultOptions options;
  options.cut_watch = options.late_events = options.expired = options.conflict = options.failed_write =
      options.lost_answer = 0.2;
  std::string all;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    auto storage = faulty(options), again = faulty(options);
    std::string faults, faults_again;
    auto seen = follow(storage, faults);
    EXPECT_EQ(seen, state(storage)) << "seed " << options.seed;
    follow(again, faults_again);
    EXPECT_EQ(faults, faults_again) << "a seed has its faults";
    EXPECT_EQ(all.find(faults), std::string::npos) << "another seed has others";
    EXPECT_GT(storage.faults(), 20u);
    all += faults + "\n";
  }
  for (char kind : {'f', 'c', 'e', 'l', 'x'}) EXPECT_NE(all.find(kind), std::string::npos) << kind;
}

TEST(StorageInjectedFaults, NoneAreTheDefault) {
  auto storage = faulty({});
  std::string faults;
  auto seen = follow(storage, faults);
  EXPECT_EQ(seen, state(storage));
  EXPECT_EQ(faults, std::string(60, '.'));
  EXPECT_EQ(storage.faults(), 0u);
}

TEST(StorageInjectedFaults, AConflictIsAnotherWriterThatWasFaster) {
  auto storage = faulty({});
  auto a = config_map("a");
  write(storage, create(a, "mine"));
  FaultOptions options;
  options.conflict = 1;
  storage.set_faults(options);
  auto written = storage.write(update(a, 2, "next"));
  ASSERT_TRUE(written && written->conflict);
  EXPECT_EQ(written->conflict->current->revision(), 3);
  EXPECT_NE(written->conflict->current->json().find("mine"), std::string::npos);
}

TEST(StorageInjectedFaults, ALostAnswerIsOfAWriteThatWasMade) {
  FaultOptions options;
  options.lost_answer = 1;
  auto storage = faulty(options);
  EXPECT_FALSE(storage.write(create(config_map("a"))));
  EXPECT_NE(*storage.get(config_map("a")), nullptr);
}

TEST(StorageInjectedFaults, EventsAreHeldAndWatchesAreCut) {
  auto storage = faulty({});
  auto watch = *storage.watch({"configmaps", "", 1});
  std::atomic<int> woken{0};
  storage.hold_events(true);
  EXPECT_TRUE(watch->poll().events.empty());
  watch->on_ready([&] { ++woken; });
  write(storage, create(config_map("a")));
  EXPECT_EQ(woken, 0);
  EXPECT_TRUE(watch->poll().events.empty());
  storage.hold_events(false);
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(watch->poll().events.size(), 1u);
  watch->poll();
  watch->on_ready([&] { ++woken; });
  storage.cut_watches();
  EXPECT_EQ(woken, 2);
  auto batch = watch->poll();
  EXPECT_EQ(batch.end, WatchEnd::closed);
  EXPECT_EQ(batch.revision, 2);
  EXPECT_EQ(drain(**storage.watch({"configmaps", "", 1})), "added default/a=2") << "the next one is not cut";
}

TEST(StorageInjectedFaults, ADeadStorageRefusesEverythingUntilItIsBack) {
  auto storage = faulty({});
  write(storage, create(config_map("a")));
  auto watch = *storage.watch({"configmaps", "", 2});
  storage.set_dead(true);
  EXPECT_EQ(watch->poll().end, WatchEnd::closed);
  EXPECT_FALSE(storage.get(config_map("a")));
  EXPECT_FALSE(storage.list({"configmaps"}));
  EXPECT_FALSE(storage.watch({"configmaps", "", 2}));
  EXPECT_FALSE(storage.write(create(config_map("b"))));
  EXPECT_FALSE(storage.set_value("x", "y"));
  EXPECT_FALSE(storage.health());
  storage.set_dead(false);
  EXPECT_EQ(write(storage, create(config_map("b"))), 3);
  EXPECT_TRUE(storage.health());
}

}  // namespace
}  // namespace fairway::apiserver::storage
