// How much of the past the storage keeps: bounded in bytes, as well as in time.
#include <gtest/gtest.h>

#include <chrono>

#include "storage_case.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::storage {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t bound = 1 << 20;

class StorageHistoryTest : public ::testing::TestWithParam<bool> {
 protected:
  StorageHistoryTest() {
    options_.clock = &clock_;
    options_.history_bytes = bound;
    open();
  }
  void open() {
    storage_.reset();
    auto opened = GetParam() ? open_memory_storage(options_) : open_storage(folder_ / "storage.db", options_);
    if (!opened) throw std::runtime_error(opened.error().message);
    storage_ = std::move(*opened);
  }
  /// What was written before is compacted as far as it will be.
  void wait_for_writer() {
    // The writer makes a step of compaction after each.
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(storage_->renew("nothing"));
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
