// SPDX-License-Identifier: Apache-2.0

// How much of the past the storage keeps: bounded in bytes, as well as in time.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "storage_case.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::storage {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t bound = 1 << 20;

std::unique_ptr<Storage> open_or_throw(const std::filesystem::path& file) {
  auto opened = open_storage(file, {});
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

/// Replaces the sum that an orderly end has stored.
void set_kept(const std::filesystem::path& file, const std::string& text) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  const std::string sql =
      "INSERT OR REPLACE INTO \"values\"(name, value) VALUES('superseded', '" + text + "')";
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_close(database), SQLITE_OK);
}

class StorageHistoryTest : public ::testing::TestWithParam<bool> {
 protected:
  StorageHistoryTest() {
    options_.clock = &clock_;
    options_.history_bytes = bound;
    options_.ring_bytes = bound;
    open();
  }
  void open() {
    storage_.reset();
    auto opened = GetParam() ? open_memory_storage(options_) : open_storage(folder_ / "storage.db", options_);
    if (!opened) throw std::runtime_error(opened.error().message);
    storage_ = std::move(*opened);
  }
  /// Waits until the writes before are compacted as far as they will be.
  void wait_for_writer() {
    // The writer makes a step of compaction after each.
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(storage_->invalidate("nothing"));
  }

  fairway::testing::TempDirectory folder_;
  FakeClock clock_{WallTime{} + 1'000'000h};
  StorageOptions options_;
  std::unique_ptr<Storage> storage_;
};

INSTANTIATE_TEST_SUITE_P(Of, StorageHistoryTest, ::testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "Memory" : "File"); });

TEST_P(StorageHistoryTest, YoungRevisionsGoBeyondTheBoundInBytes) {
  const auto a = config_map("a");
  const auto first = write(*storage_, create(a, "1"));
  for (int i = 0; i < 60; ++i) write(*storage_, put(a, std::string(100'000, 'x')));
  const auto last = storage_->revision();
  wait_for_writer();
  EXPECT_GT(storage_->compacted_revision(), first);
  EXPECT_LE(storage_->counts().history_bytes, static_cast<std::uint64_t>(bound));
  // Not everything: a tenth of what was written fits.
  EXPECT_LT(storage_->compacted_revision(), last - 5);
  auto old = storage_->watch({"configmaps", "", first});
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().kind, ReadError::Kind::compacted);
  auto recent = storage_->watch({"configmaps", "", last - 2});
  ASSERT_TRUE(recent);
  EXPECT_EQ(text((*recent)->poll().events), "modified default/a=" + std::to_string(last - 1) +
                                                ", modified default/a=" + std::to_string(last));
  auto list = storage_->list({"configmaps", "", "", 0, first});
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().kind, ReadError::Kind::compacted) << "a continue token of then";
  EXPECT_EQ((*storage_->get(a))->revision(), last) << "the latest state is no history";
}

TEST_P(StorageHistoryTest, WhoWritesMuchExpiresNothingOfOtherResources) {
  const Key held{"secrets", "default", "s"};
  const auto made = write(*storage_, create(held, "1"));
  const auto changed = write(*storage_, put(held, "2"));
  auto page = storage_->list({"secrets"});
  ASSERT_TRUE(page);
  for (int i = 0; i < 60; ++i) write(*storage_, put(config_map("a"), std::string(100'000, 'x')));
  wait_for_writer();
  ASSERT_GT(storage_->compacted_revision(), page->revision);
  EXPECT_EQ(storage_->watch({"configmaps", "", page->revision}).error().kind, ReadError::Kind::compacted);
  auto watch = storage_->watch({"secrets", "", page->revision});
  ASSERT_TRUE(watch) << "an informer whose list took long";
  EXPECT_EQ(drain(**watch), "");
  EXPECT_EQ(drain(**storage_->watch({"secrets", "", made})), "modified default/s=" + std::to_string(changed));
  const auto next = storage_->list({"secrets", "", "", 0, page->revision});
  ASSERT_TRUE(next) << "the next page of a list";
  EXPECT_EQ(next->records.size(), 1u);
  EXPECT_EQ((*storage_->get(held, made))->revision(), made);
  // With time they go all the same.
  clock_.advance(20min);
  write(*storage_, put(config_map("a"), "1"));
  wait_for_writer();
  EXPECT_EQ(storage_->watch({"secrets", "", page->revision}).error().kind, ReadError::Kind::compacted);
  EXPECT_EQ(storage_->list({"secrets", "", "", 0, page->revision}).error().kind, ReadError::Kind::compacted);
  EXPECT_EQ(storage_->get(held, made).error().kind, ReadError::Kind::compacted);
}

TEST_P(StorageHistoryTest, WhatARowTakesCountsNotItsTextAlone) {
  // Rows of little more than half a page: each takes a page of its own.
  const auto a = config_map("a");
  write(*storage_, create(a, "1"));
  for (int i = 0; i < 100; ++i) write(*storage_, put(a, std::string(2100, 'x')));
  EXPECT_GT(storage_->counts().history_bytes, 99u * 4096);
}

TEST_P(StorageHistoryTest, DeletionsCountUntilTheyAreCompacted) {
  const auto a = config_map("a");
  write(*storage_, create(a, std::string(10'000, 'x')));
  EXPECT_EQ(storage_->counts().history_bytes, 0u) << "what is there is no history";
  write(*storage_, remove(a));
  EXPECT_GT(storage_->counts().history_bytes, 10'000u);
  ASSERT_TRUE(storage_->compact(storage_->revision()));
  EXPECT_EQ(storage_->counts().history_bytes, 0u);
}

TEST_P(StorageHistoryTest, TheAccountIsTheSameAfterARestart) {
  if (GetParam()) GTEST_SKIP() << "a database in memory ends with it";
  const auto a = config_map("a"), b = config_map("b"), c = config_map("c");
  for (int i = 0; i < 5; ++i) write(*storage_, put(a, std::string(5000, 'x')));
  write(*storage_, create(b, std::string(3000, 'x')));
  write(*storage_, remove(b));
  write(*storage_, create(c, "1"));
  const auto before = storage_->counts().history_bytes;
  EXPECT_GT(before, 20'000u);
  open();
  EXPECT_EQ(storage_->counts().history_bytes, before);
  options_.history_bytes = 10'000;
  open();
  wait_for_writer();
  EXPECT_LE(storage_->counts().history_bytes, 10'000u) << "a smaller bound holds at once";
  EXPECT_EQ((*storage_->get(a))->revision(), 6);
}

TEST(StorageHistoryFile, TheAccountIsCountedAnewAfterACrash) {
  const fairway::testing::TempDirectory folder;
  const auto a = config_map("a");
  auto storage = open_or_throw(folder / "storage.db");
  write(*storage, put(a, std::string(5000, 'x')));
  write(*storage, put(a, std::string(5000, 'x')));
  storage.reset();
  // The account that the end has kept is that of before these.
  storage = open_or_throw(folder / "storage.db");
  write(*storage, put(a, std::string(5000, 'x')));
  write(*storage, put(a, std::string(5000, 'x')));
  const auto before = storage->counts().history_bytes;
  for (const auto* ending : {"", "-wal"}) {
    std::filesystem::copy_file(folder / (std::string("storage.db") + ending),
                               folder / (std::string("crashed.db") + ending));
  }
  EXPECT_EQ(open_or_throw(folder / "crashed.db")->counts().history_bytes, before);
  // Nothing but a compaction, which the end of an older release would not have noted.
  ASSERT_TRUE(storage->compact(storage->revision()));
  storage.reset();
  EXPECT_EQ(open_or_throw(folder / "storage.db")->counts().history_bytes, 0u);
}

TEST(StorageHistoryFile, TheAccountThatIsKeptIsTakenForItsOwnStateAlone) {
  const fairway::testing::TempDirectory folder;
  const auto a = config_map("a");
  const auto file = folder / "storage.db";
  auto storage = open_or_throw(file);
  for (int i = 0; i < 3; ++i) write(*storage, put(a, std::string(5000, 'x')));
  const auto counted = storage->counts().history_bytes;
  storage.reset();
  const struct {
    const char *kept, *what;
    std::uint64_t bytes;
  } cases[] = {
      {"4 0 77", "it is believed", 77},
      {"3 0 77", "of another revision", counted},
      {"4 1 77", "of another compaction", counted},
      {"4 0 -1", "less than nothing", counted},
      {"4 0 77x", "not a number", counted},
      {"4 0 ", "nothing", counted},
      {"", "empty", counted},
  };
  for (const auto& one : cases) {
    set_kept(file, one.kept);
    EXPECT_EQ(open_or_throw(file)->counts().history_bytes, one.bytes) << one.what;
  }
}

TEST_P(StorageHistoryTest, WatchesThatReadOnAreNotOvertakenByIt) {
  const auto a = config_map("a", "one"), b = config_map("b", "two");
  write(*storage_, create(b, "1"));
  auto mine = *storage_->watch({"configmaps", "two", storage_->revision()});
  EXPECT_EQ(drain(*mine), "");
  int woken = 0;
  // Of a namespace where nothing happens: it is told to read on, nevertheless.
  for (int i = 0; i < 300; ++i) {
    bool ready = false;
    mine->on_ready([&] { ready = true; });
    write(*storage_, put(a, std::string(100'000, 'x')));
    wait_for_writer();
    mine->on_ready({});
    if (!ready) continue;
    ++woken;
    EXPECT_EQ(drain(*mine), "");
  }
  EXPECT_GT(woken, 0);
  EXPECT_LT(woken, 200);
  const auto last = write(*storage_, put(b, "2"));
  EXPECT_EQ(drain(*mine), "modified two/b=" + std::to_string(last));
}

}  // namespace
}  // namespace fairway::apiserver::storage
