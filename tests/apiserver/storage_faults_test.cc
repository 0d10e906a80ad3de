// SPDX-License-Identifier: Apache-2.0

// The storage on a disk that fails, fills up, or loses power.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "fault_vfs.h"
#include "storage_model.h"

namespace fairway::apiserver::storage {
namespace {

using namespace std::chrono_literals;

/// Turns the log off: no line for each of thousands of faults.
class QuietLog {
 public:
  QuietLog() { log::configure(log::Level::off, log::Format::text); }
  ~QuietLog() { log::configure(log::Level::info, log::Format::text); }
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;
};

class StorageFaultsTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Storage>> open() {
    StorageOptions options;
    options.clock = &clock_;
    options.vfs = vfs_.name();
    options.ring_events = 8;
    options.checkpoint_pages = 20;  // so that much is read out of the file
    return open_storage("storage.db", options);
  }

  QuietLog quiet_;
  FaultVfs vfs_;
  FakeClock clock_{WallTime{} + 1'000'000h};
};

/// Runs all seeds, or with FAIRWAY_STORAGE_SEED=N that one alone.
template <class Run>
void for_each_seed(std::uint64_t count, Run run) {
  const char* chosen = std::getenv("FAIRWAY_STORAGE_SEED");
  std::uint64_t first = chosen == nullptr ? 1 : std::strtoull(chosen, nullptr, 10);
  std::uint64_t last = chosen == nullptr ? count : first;
  for (auto seed = first; seed <= last && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("FAIRWAY_STORAGE_SEED=" + std::to_string(seed));
    run(seed);
  }
}

TEST(StoragePowerLoss, EveryAcknowledgedWriteIsThereAfterwards) {
  QuietLog quiet;
  for_each_seed(100, [](std::uint64_t seed) {
    FaultVfs vfs;
    FakeClock clock(WallTime{} + 1'000'000h);
    StorageOptions options;
    options.clock = &clock;
    options.vfs = vfs.name();
    options.ring_events = 8;
    options.checkpoint_pages = 20;
    StorageWorkload workload(seed, clock);
    StorageModel model;
    // Three times in a row: what the first left behind is there at the second.
    for (int round = 0; round < 3; ++round) {
      auto at = vfs.operations() + 1 + workload.random()() % 700;
      std::optional<FaultVfs::Disk> disk;
      std::atomic<bool> gone{false};
      std::mt19937_64 lost(seed * 3 + static_cast<std::uint64_t>(round));
      vfs.on_operation([&](FaultVfs::Operation, std::uint64_t number) {
        if (number < at) return SQLITE_OK;
        if (!gone) disk = vfs.power_loss(lost);
        gone = true;
        return SQLITE_IOERR;
      });
      {
        auto storage = open_storage("storage.db", options);
        while (storage && !gone) workload.step(**storage, model);
      }
      ASSERT_TRUE(disk);
      vfs.on_operation({});
      vfs.replace(std::move(*disk));
      auto storage = open_storage("storage.db", options);
      ASSERT_TRUE(storage) << storage.error().message;
      model.restarted(**storage);
      model.check(**storage, workload.random());
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST_F(StorageFaultsTest, EachOperationFailsOnce) {
  constexpr int steps = 45;
  constexpr std::uint64_t seed = 7;
  // How many there are.
  std::uint64_t total = 0;
  for (std::uint64_t failing = 0; failing <= total && !HasFailure(); ++failing) {
    SCOPED_TRACE("operation " + std::to_string(failing));
    vfs_.replace({});
    // The writer looks at free pages while the test goes on.
    std::atomic<std::uint64_t> count = 0;
    std::atomic<bool> failed = false;
    std::atomic<bool> armed{true};
    vfs_.on_operation([&](FaultVfs::Operation operation, std::uint64_t) {
      if (!armed || ++count != failing) return SQLITE_OK;
      failed = true;
      bool full = operation == FaultVfs::Operation::write && failing % 2 == 0;
      return full ? SQLITE_FULL : SQLITE_IOERR;
    });
    FakeClock clock(WallTime{} + 1'000'000h);
    StorageOptions options;
    options.clock = &clock;
    options.vfs = vfs_.name();
    options.ring_events = 8;
    options.checkpoint_pages = 20;
    StorageWorkload workload(seed, clock);
    StorageModel model;
    auto storage = open_storage("storage.db", options);
    if (!storage) {
      EXPECT_TRUE(failed) << storage.error().message;
      EXPECT_NE(storage.error().code, ErrorCode::internal) << storage.error().message;
      storage = open_storage("storage.db", options);
    }
    for (int step = 0; step < steps; ++step) {
      ASSERT_TRUE(storage) << storage.error().message;
      if (!workload.step(**storage, model)) {
        EXPECT_TRUE(failed) << "an error without a fault";
      }
      if (step % 15 == 14) {
        armed = false;
        model.check(**storage, workload.random());
        armed = true;
        storage->reset();
        storage = open_storage("storage.db", options);
        if (!storage) storage = open_storage("storage.db", options);
        ASSERT_TRUE(storage) << storage.error().message;
        armed = false;
        model.restarted(**storage);
        armed = true;
      }
    }
    vfs_.on_operation({});
    if (failing == 0) {
      total = count;
    } else {
      // Of the last ones it may not have come to all.
      EXPECT_TRUE(failed || count < failing);
    }
    model.check(**storage, workload.random());
    EXPECT_TRUE((*storage)->set_value("own", "x"));
    storage->reset();
  }
  EXPECT_GT(total, 300u) << "few operations: the workload does not do what this test is for";
}

TEST_F(StorageFaultsTest, AFullDiskRefusesWritesUntilThereIsRoom) {
  auto storage = open();
  ASSERT_TRUE(storage) << storage.error().message;
  write(**storage, create(config_map("first")));
  vfs_.set_capacity(600'000);
  std::string error;
  int written = 0;
  while (error.empty() && written < 1000) {
    auto answer =
        (*storage)->write(create(config_map("n" + std::to_string(written)), std::string(10'000, 'x')));
    if (answer) {
      ++written;
    } else {
      error = answer.error().message;
      EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
    }
  }
  EXPECT_EQ(error, "writing to the storage: the disk is full; free some space, then writes go on");
  EXPECT_EQ((*storage)->health().error().message, error);
  // Reads go on, and nothing of the write that failed is to be seen.
  EXPECT_EQ((*storage)->list({"configmaps"})->records.size(), static_cast<std::size_t>(written) + 1);
  EXPECT_EQ((*storage)->revision(), written + 2);
  auto watch = (*storage)->watch({"configmaps", "", (*storage)->revision()});
  ASSERT_TRUE(watch);
  vfs_.set_capacity(SIZE_MAX);
  EXPECT_EQ(write(**storage, create(config_map("after"))), written + 3);
  EXPECT_TRUE((*storage)->health());
  EXPECT_EQ(drain(**watch), "added default/after=" + std::to_string(written + 3));
}

TEST_F(StorageFaultsTest, AReadThatFailsEndsTheWatchAndTheNextOneGoesOn) {
  auto storage = open();
  ASSERT_TRUE(storage);
  for (int i = 0; i < 30; ++i) write(**storage, put(config_map("a"), std::to_string(i)));
  auto watch = *(*storage)->watch({"configmaps", "", 1});
  ASSERT_TRUE(watch->may_block());
  vfs_.on_operation([](FaultVfs::Operation, std::uint64_t) { return SQLITE_IOERR; });
  auto batch = watch->poll();
  EXPECT_EQ(batch.end, WatchEnd::failed);
  EXPECT_EQ(batch.revision, 1);
  EXPECT_NE(batch.reason, "");
  EXPECT_EQ((*storage)->list({"configmaps", "", "", 0, 3}).error().kind, ReadError::Kind::failed);
  EXPECT_EQ((*storage)->list({"configmaps"})->records.size(), 1u) << "the latest is in memory";
  vfs_.on_operation({});
  auto again = *(*storage)->watch({"configmaps", "", batch.revision});
  EXPECT_EQ(drain(*again).substr(0, 20), "added default/a=2, m");
}

TEST_F(StorageFaultsTest, WritesOfManyThreadsAreThereAfterPowerLoss) {
  // What was acknowledged before the power went, and the disk at that moment, many times in one run.
  struct Moment {
    std::map<std::string, Revision> acknowledged;
    FaultVfs::Disk disk;
  };
  std::vector<Moment> moments;
  {
    auto storage = open();
    ASSERT_TRUE(storage);
    std::mutex mutex;
    std::map<std::string, Revision> acknowledged;
    std::atomic<int> running{8};
    std::vector<std::jthread> writers;
    for (int thread = 0; thread < 8; ++thread) {
      writers.emplace_back([&, thread] {
        for (int i = 0; i < 150; ++i) {
          auto name = "n" + std::to_string(thread) + "-" + std::to_string(i % 10);
          auto written =
              (*storage)->write(put(config_map(name), std::string(static_cast<std::size_t>(i) * 7, 'x')));
          if (!written) break;
          std::lock_guard lock(mutex);
          acknowledged[name] = written->records[0]->revision();
        }
        --running;
      });
    }
    std::mt19937_64 random(1);
    while (running > 0 && moments.size() < 60) {
      Moment moment;
      {
        std::lock_guard lock(mutex);
        moment.acknowledged = acknowledged;
      }
      moment.disk = vfs_.power_loss_now(random);
      moments.push_back(std::move(moment));
      std::this_thread::sleep_for(2ms);
    }
    writers.clear();
    EXPECT_LT((*storage)->counts().commits, (*storage)->counts().changes) << "many writes share a commit";
  }
  for (auto& moment : moments) {
    vfs_.replace(std::move(moment.disk));
    auto storage = open();
    ASSERT_TRUE(storage) << storage.error().message;
    for (const auto& [name, revision] : moment.acknowledged) {
      auto record = *(*storage)->get(config_map(name));
      ASSERT_NE(record, nullptr) << name;
      ASSERT_GE(record->revision(), revision) << name;
      ASSERT_EQ(record->json().substr(record->json().size() - 3), "\"}}") << "a torn object";
    }
  }
}

}  // namespace
}  // namespace fairway::apiserver::storage
