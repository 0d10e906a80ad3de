// SPDX-License-Identifier: Apache-2.0

// Files of the storage: which are opened, and how they are kept and brought back.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "apiserver/backup_objects.h"
#include "base/clock.h"
#include "base/file.h"
#include "storage_case.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::storage {
namespace {

class StorageFilesTest : public ::testing::Test {
 protected:
  std::unique_ptr<Storage> open(const std::string& name = "storage.db") {
    auto opened = open_storage(folder_ / name);
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }
  std::string error(const std::string& name = "storage.db") {
    auto opened = open_storage(folder_ / name);
    if (opened) return "opened";
    auto message = opened.error().message;
    // Without the folder, which differs from run to run.
    for (auto at = message.find(folder_.text()); at != std::string::npos; at = message.find(folder_.text())) {
      message.replace(at, folder_.text().size(), "DIR");
    }
    return message;
  }
  void execute(const std::string& sql, const std::string& name = "storage.db") {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / name).c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  std::int64_t user_version() {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open((folder_ / "storage.db").c_str(), &database), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    const std::int64_t version = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return version;
  }
  unsigned mode(const std::string& name) {
    struct stat status{};
    EXPECT_EQ(::stat((folder_ / name).c_str(), &status), 0) << name;
    return status.st_mode & 0777U;
  }

  fairway::testing::TempDirectory folder_;
};

TEST_F(StorageFilesTest, FilesAreForTheirOwnerOnly) {
  auto storage = open("data/storage.db");
  write(*storage, create(config_map("a")));
  EXPECT_EQ(mode("data"), 0700u);
  EXPECT_EQ(mode("data/storage.db"), 0600u);
  EXPECT_EQ(mode("data/storage.db-wal"), 0600u);
  EXPECT_EQ(mode("data/storage.db.lock"), 0600u);
}

TEST_F(StorageFilesTest, WhatIsNoStorageIsRefusedAndLeftAsItIs) {
  folder_.write("text.db", "not a database, but a text of some length");
  folder_.write("short.db", "abc");
  EXPECT_EQ(error("text.db"), "opening DIR/text.db: it is not an SQLite database; name another file");
  EXPECT_EQ(error("short.db"), "opening DIR/short.db: it is not an SQLite database; name another file");
  std::ostringstream text;
  text << std::ifstream(folder_ / "short.db").rdbuf();
  EXPECT_EQ(text.str(), "abc");
  execute("CREATE TABLE recipes(name)", "other.db");
  EXPECT_EQ(error("other.db"), "opening DIR/other.db: it is no storage of an API server; name another file");
  folder_.write("file", "");
  EXPECT_EQ(error("file/storage.db"),
            "opening DIR/file/storage.db.lock: Not a directory; check the permissions of the folder");
}

TEST_F(StorageFilesTest, AnEmptyFileBecomesAStorage) {
  folder_.write("storage.db", "");
  write(*open(), create(config_map("a")));
  EXPECT_EQ(open()->revision(), 2);
}

TEST_F(StorageFilesTest, AFileOfANewerReleaseIsRefused) {
  open();
  execute("PRAGMA user_version = 99");
  EXPECT_EQ(
      error(),
      "opening DIR/storage.db: it was written by a newer release (schema 99, this one knows 2); use that "
      "release, or a backup");
}

TEST_F(StorageFilesTest, AFileOfAnOlderReleaseIsTakenUpAndThenIsOfThisOne) {
  write(*open(), create(config_map("a")));
  execute("PRAGMA user_version = 1");
  EXPECT_EQ(open()->revision(), 2);
  EXPECT_EQ(user_version(), 2);
}

TEST_F(StorageFilesTest, ADamagedFileIsRefused) {
  {
    auto storage = open();
    for (int i = 0; i < 200; ++i)
      write(*storage, create(config_map("n" + std::to_string(i)), std::string(1000, 'x')));
  }
  std::fstream file(folder_ / "storage.db", std::ios::in | std::ios::out | std::ios::binary);
  for (int page = 5; page < 40; ++page) {
    file.seekp(page * 4096);
    file << std::string(100, '\xee');
  }
  file.close();
  auto message = error();
  EXPECT_EQ(message.substr(0, 49), "checking DIR/storage.db: the database is damaged ") << message;
  EXPECT_NE(message.find("; restore a backup"), std::string::npos) << message;
}

TEST_F(StorageFilesTest, OneProcessUsesAFileAtATime) {
  auto first = open();
  EXPECT_EQ(error(), "opening DIR/storage.db: process " + std::to_string(::getpid()) +
                         " uses it; stop it, or name another file");
  first.reset();
  EXPECT_EQ(error(), "opened");
}

/// Not a test of its own: the process that the next test starts, and kills.
TEST(StorageFilesChild, DISABLED_WritesUntilItIsKilled) {
  const char* path = std::getenv("FAIRWAY_TEST_STORAGE");
  const char* acknowledged = std::getenv("FAIRWAY_TEST_ACKNOWLEDGED");
  ASSERT_FALSE(path == nullptr || acknowledged == nullptr);
  std::ofstream marks(acknowledged);
  auto storage = open_storage(path);
  ASSERT_TRUE(storage) << storage.error().message;
  for (int i = 0; i < 100'000; ++i) {
    auto written = (*storage)->write(create(config_map("n" + std::to_string(i)), std::string(500, 'x')));
    ASSERT_TRUE(written && !written->conflict);
    ASSERT_TRUE(marks << 'x' << std::flush);
  }
}

TEST_F(StorageFilesTest, AKilledProcessLosesNothing) {
  const auto acknowledged = folder_ / "acknowledged", output = folder_ / "output";
  fairway::testing::Process child(
      {"/usr/bin/env", "FAIRWAY_TEST_STORAGE=" + (folder_ / "storage.db").string(),
       "FAIRWAY_TEST_ACKNOWLEDGED=" + acknowledged.string(),
       std::filesystem::read_symlink("/proc/self/exe").string(), "--gtest_filter=StorageFilesChild.*",
       "--gtest_also_run_disabled_tests", "--gtest_output="},
      output.string());
  const auto count = [&] { return static_cast<Revision>(read_file(acknowledged).value_or("").size()); };
  Clock& time = Clock::system();
  const auto limit = time.steady() + std::chrono::seconds(60);
  while (count() < 50) {
    ASSERT_LT(time.steady(), limit) << read_file(output).value_or("");
    ASSERT_TRUE(child.running()) << read_file(output).value_or("");
    std::this_thread::yield();
  }
  EXPECT_TRUE(WIFSIGNALED(child.end(SIGKILL)));
  auto storage = open();
  EXPECT_GE(storage->revision(), count() + 1);
  auto list = storage->list({"configmaps"});
  ASSERT_TRUE(list);
  EXPECT_EQ(static_cast<Revision>(list->records.size()), storage->revision() - 1);
}

TEST_F(StorageFilesTest, ABackupOfAStorageInUseIsOneState) {
  auto storage = open();
  write(*storage, create(config_map("first")));
  std::jthread writer([&](const std::stop_token& stop) {
    // Always both, or neither.
    for (int i = 0; !stop.stop_requested(); ++i) {
      std::vector<Change> both;
      both.push_back(put(config_map("left"), std::to_string(i)));
      both.push_back(put(config_map("right"), std::to_string(i)));
      if (!storage->write(std::move(both))) return;
    }
  });
  for (int i = 0; i < 5; ++i) {
    auto name = "backup-" + std::to_string(i);
    auto done = backup_storage(folder_ / "storage.db", folder_ / name);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(mode(name), 0600u);
    auto copy = open(name);
    auto left = *copy->get(config_map("left")), right = *copy->get(config_map("right"));
    ASSERT_EQ(left == nullptr, right == nullptr);
    if (left) {
      EXPECT_EQ(left->revision() + 1, right->revision());
    }
    ASSERT_NE(*copy->get(config_map("first")), nullptr);
  }
  EXPECT_EQ(backup_storage(folder_ / "storage.db", folder_ / "backup-0").error().code, ErrorCode::conflict);
  EXPECT_EQ(backup_storage(folder_ / "none.db", folder_ / "backup-9").error().code, ErrorCode::not_found);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
}

TEST_F(StorageFilesTest, ABackupIsReadObjectByObject) {
  {
    auto storage = open();
    write(*storage, create(config_map("b"), "old"));
    write(*storage, create(config_map("a"), "only"));
    write(*storage, put(config_map("b"), "new"));
    write(*storage, create(config_map("gone")));
    write(*storage, remove(config_map("gone")));
  }
  ASSERT_TRUE(backup_storage(folder_ / "storage.db", folder_ / "backup"));
  const std::string before = read_file(folder_ / "backup").value();
  std::vector<std::string> read;
  const auto take = [&](std::string_view path, std::string_view json) -> Result<void> {
    read.push_back(std::string(path) + " " + std::string(json));
    return {};
  };
  ASSERT_TRUE(read_backup(folder_ / "backup", "configmaps", take));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_TRUE(read[0].contains("only")) << read[0];
  EXPECT_TRUE(read[0].contains("a {")) << "the path: " << read[0];
  EXPECT_TRUE(read[1].contains("new")) << read[1];
  read.clear();
  ASSERT_TRUE(read_backup(folder_ / "backup", "apps/deployments", take));
  EXPECT_TRUE(read.empty());
  const auto refuse = [](std::string_view, std::string_view) { return fail(ErrorCode::cancelled, "enough"); };
  EXPECT_EQ(read_backup(folder_ / "backup", "configmaps", refuse).error().message, "enough");
  EXPECT_EQ(read_file(folder_ / "backup").value(), before) << "it is only read";

  EXPECT_EQ(read_backup(folder_ / "none", "configmaps", take).error().code, ErrorCode::not_found);
  EXPECT_EQ(read_backup(folder_.path(), "configmaps", take).error().code, ErrorCode::invalid);
  const auto own = read_backup(folder_ / "storage.db", "configmaps", take);
  EXPECT_TRUE(own.error().message.contains("no backup; make one with")) << own.error().message;
  folder_.write("text", "no backup at all");
  EXPECT_EQ(read_backup(folder_ / "text", "configmaps", take).error().code, ErrorCode::invalid);
  execute("PRAGMA user_version = 99", "backup");
  EXPECT_EQ(read_backup(folder_ / "backup", "configmaps", take).error().code, ErrorCode::unsupported);
}

TEST_F(StorageFilesTest, ARestoredStorageGoesOnAboveTheReplacedOne) {
  {
    auto storage = open();
    write(*storage, create(config_map("kept"), "old"));        // 2
    write(*storage, put(config_map("kept"), "as backed up"));  // 3
    write(*storage, create(config_map("gone")));               // 4
    write(*storage, remove(config_map("gone")));               // 5
    ASSERT_TRUE(storage->set_value("ca.key", "key"));
  }
  ASSERT_TRUE(backup_storage(folder_ / "storage.db", folder_ / "backup"));
  {
    auto storage = open();
    write(*storage, put(config_map("kept"), "newer"));  // 6
    write(*storage, create(config_map("lost")));        // 7
    auto in_use = restore_storage(folder_ / "backup", folder_ / "storage.db");
    ASSERT_FALSE(in_use);
    EXPECT_EQ(in_use.error().code, ErrorCode::unavailable);
  }
  auto restored = restore_storage(folder_ / "backup", folder_ / "storage.db");
  ASSERT_TRUE(restored) << restored.error().message;
  {
    auto storage = open();
    EXPECT_EQ(storage->revision(), 8);
    EXPECT_EQ(text(storage->list({"configmaps"})->records), "default/kept=3");
    EXPECT_NE((*storage->get(config_map("kept")))->json().find("as backed up"), std::string::npos);
    EXPECT_EQ(*storage->value("ca.key"), "key");
    for (Revision old : {1, 5, 7}) {
      auto watch = storage->watch({"configmaps", "", old});
      ASSERT_FALSE(watch) << "a client that saw " << old << " has to list again";
      EXPECT_EQ(watch.error().kind, ReadError::Kind::compacted);
    }
    EXPECT_EQ(write(*storage, create(config_map("lost"))), 9);
  }
  EXPECT_EQ(open("storage.db.before-restore")->revision(), 7);
  EXPECT_EQ(restore_storage(folder_ / "backup", folder_ / "storage.db").error().code, ErrorCode::conflict);
}

TEST_F(StorageFilesTest, ADamagedStorageIsReplacedFarAboveTheBackup) {
  write(*open(), create(config_map("a")));
  ASSERT_TRUE(backup_storage(folder_ / "storage.db", folder_ / "backup"));
  folder_.write("storage.db", std::string(5000, 'x'));
  folder_.write("storage.db-wal", "of the damaged one");
  auto restored = restore_storage(folder_ / "backup", folder_ / "storage.db");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(open()->revision(), 2 + 1'000'000'000 + 1);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "storage.db.before-restore-wal"));
  // And where there was none.
  ASSERT_TRUE(restore_storage(folder_ / "backup", folder_ / "new/storage.db"));
  EXPECT_EQ(text(open("new/storage.db")->list({"configmaps"})->records), "default/a=2");
  folder_.write("text", "no backup");
  auto refused = restore_storage(folder_ / "text", folder_ / "new/storage.db");
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
  EXPECT_EQ(text(open("new/storage.db")->list({"configmaps"})->records), "default/a=2") << "nothing happened";
}

}  // namespace
}  // namespace fairway::apiserver::storage
