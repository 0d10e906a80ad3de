// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/directory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "support/frugal.h"
#include "support/generous.h"
#include "support/git_repository.h"
#include "support/small_graph.h"
#include "support/temp_directory.h"

namespace fairway::sources {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Counts reports, and waits for the next one.
class Reports {
 public:
  std::function<void()> callback() {
    return [this] {
      const std::lock_guard lock(mutex_);
      ++count_;
      changed_.notify_all();
    };
  }
  bool wait_for_next(std::chrono::milliseconds longest = 10s) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, longest, [&] { return count_ > seen_; });
    seen_ = count_;
    return came;
  }
  int count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0, seen_ = 0;
};

class DirectorySourceTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write_all(testing::small_graph_data()); }
  testing::TempDirectory folder_;
};

TEST_F(DirectorySourceTest, ReadsTheFilesThatCount) {
  folder_.write("README.md", "not graph data");
  DirectorySource source(folder_.text());
  const auto fetched = source.fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->files, testing::small_graph_data());
  EXPECT_EQ(source.name(), folder_.text());
}

TEST_F(DirectorySourceTest, GivesARevisionOfNamesAndBytesAlone) {
  const testing::TempDirectory other;
  other.write_all(testing::small_graph_data());
  const std::string revision = DirectorySource(folder_.text()).fetch({})->revision;
  EXPECT_EQ(DirectorySource(other.text()).fetch({})->revision, revision);
  fs::rename(other / "blocked-edges/4.7.0.yaml", other / "blocked-edges/4.7.0-b.yaml");
  EXPECT_NE(DirectorySource(other.text()).fetch({})->revision, revision);
}

TEST_F(DirectorySourceTest, SaysThatThereIsNoFolder) {
  const auto fetched = DirectorySource(folder_.text() + "/none").fetch({});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::not_found);
}

TEST_F(DirectorySourceTest, TakesNothingWhileGitIsAtWork) {
  folder_.write(".git/index.lock", "");
  const auto fetched = DirectorySource(folder_.text()).fetch({});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::unavailable);
  EXPECT_NE(fetched.error().message.find("index.lock"), std::string::npos);
}

/// Clock that writes a file during each wait, so that it was always changed just now.
class WritingClock final : public Clock {
 public:
  explicit WritingClock(const testing::TempDirectory& folder) : folder_(folder) { write(); }
  WallTime now() const override { return now_; }
  SteadyTime steady() const override { return steady_; }
  bool wait_until(SteadyTime until, std::stop_token) override {
    steady_ = until;
    write();
    return true;
  }

 private:
  void write() {
    folder_.write("version", "1.0." + std::to_string(++writes_));
    now_ = std::chrono::system_clock::now();
  }
  const testing::TempDirectory& folder_;
  int writes_ = 0;
  WallTime now_;
  SteadyTime steady_;
};

TEST_F(DirectorySourceTest, TakesNothingWhileFilesKeepChanging) {
  WritingClock clock(folder_);
  const auto fetched = DirectorySource(folder_.text(), {.clock = &clock}).fetch({});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::unavailable);
}

TEST_F(DirectorySourceTest, StopsWaitingWhenItIsToStop) {
  folder_.write(".git/index.lock", "");
  std::stop_source stop;
  stop.request_stop();
  const auto fetched = DirectorySource(folder_.text()).fetch({.stop = stop.get_token()});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::cancelled);
}

/// Fixture for watching: each way in which people and programs change graph data has to be reported, and the
/// data read afterwards has to be new.
class Watching : public DirectorySourceTest {
 protected:
  void watch(const std::string& path, FolderWatchOptions options = {}) {
    source_ = std::make_unique<DirectorySource>(path, options);
    const auto fetched = source_->fetch({});
    ASSERT_TRUE(fetched) << fetched.error().message;
    ASSERT_TRUE(source_->watch(reports_.callback(), stop_.get_token()));
  }
  /// Waits until the files read are those wanted; each try waits for a report. The limit is the promise of
  /// `serve`.
  void expect_live(const std::function<bool(const graphdata::Files&)>& wanted) {
    const auto began = std::chrono::steady_clock::now();
    while (reports_.wait_for_next()) {
      const auto fetched = source_->fetch({});
      if (!fetched || !wanted(fetched->files)) continue;
      EXPECT_LT(std::chrono::steady_clock::now() - began, fairway::testing::generous(2s));
      return;
    }
    FAIL() << "the change was not reported";
  }
  void expect_version(const std::string& text) {
    expect_live([&](const graphdata::Files& files) {
      return files.contains("version") && files.at("version") == text;
    });
  }

  Reports reports_;
  std::unique_ptr<DirectorySource> source_;
  std::stop_source stop_;
};

TEST_F(Watching, SeesAFileWrittenInPlace) {
  watch(folder_.text());
  folder_.write("version", "1.1.0\n");
  expect_version("1.1.0\n");
}

TEST_F(Watching, SeesAFileRenamedOverAnother) {
  watch(folder_.text());
  folder_.write("channels/.stable.swp", "name: stable-4.7\nversions: []\n");
  fs::rename(folder_ / "channels/.stable.swp", folder_ / "channels/stable-4.7.yaml");
  expect_live(
      [](const auto& files) { return files.at("channels/stable-4.7.yaml").find("[]") != std::string::npos; });
}

TEST_F(Watching, SeesFilesAddedAndRemoved) {
  watch(folder_.text());
  folder_.write("blocked-edges/4.7.1.yaml", "to: 4.7.1\nfrom: .*\n");
  expect_live([](const auto& files) { return files.contains("blocked-edges/4.7.1.yaml"); });
  fs::remove(folder_ / "blocked-edges/4.7.1.yaml");
  expect_live([](const auto& files) { return !files.contains("blocked-edges/4.7.1.yaml"); });
}

TEST_F(Watching, SeesWhatHappensInFoldersThatCameLater) {
  watch(folder_.text());
  folder_.write("signatures/sha256=00/signature-1", "one");
  expect_live([](const auto& files) { return files.contains("signatures/sha256=00/signature-1"); });
  folder_.write("signatures/sha256=00/signature-1", "two");
  expect_live([](const auto& files) { return files.at("signatures/sha256=00/signature-1") == "two"; });
}

TEST_F(Watching, SeesTheSwapOfAMountedConfigMap) {
  const testing::TempDirectory mount;
  for (const auto& [name, bytes] : testing::small_graph_data()) mount.write("..2026_1/" + name, bytes);
  fs::create_symlink("..2026_1", mount / "..data");
  for (const char* name : {"version", "channels", "blocked-edges"}) {
    fs::create_symlink(fs::path("..data") / name, mount / name);
  }
  watch(mount.text());
  for (const auto& [name, bytes] : testing::small_graph_data()) mount.write("..2026_2/" + name, bytes);
  mount.write("..2026_2/version", "1.1.0\n");
  fs::create_symlink("..2026_2", mount / "..data_tmp");
  fs::rename(mount / "..data_tmp", mount / "..data");
  expect_version("1.1.0\n");
}

TEST_F(Watching, SeesTheSwapOfALinkOnTheWay) {
  const testing::TempDirectory deployed;
  for (const auto& [name, bytes] : testing::small_graph_data()) {
    deployed.write("one/data/" + name, bytes);
    deployed.write("two/data/" + name, bytes);
  }
  deployed.write("two/data/version", "1.1.0\n");
  fs::create_symlink("one", deployed / "current");
  watch(deployed.text() + "/current/data");
  fs::create_symlink("two", deployed / "next");
  fs::rename(deployed / "next", deployed / "current");
  expect_version("1.1.0\n");
}

TEST_F(Watching, SeesAFolderThatIsReplaced) {
  const testing::TempDirectory parent;
  for (const auto& [name, bytes] : testing::small_graph_data()) parent.write("data/" + name, bytes);
  watch(parent.text() + "/data");
  fs::rename(parent / "data", parent / "old");
  for (const auto& [name, bytes] : testing::small_graph_data()) parent.write("data/" + name, bytes);
  parent.write("data/version", "1.1.0\n");
  expect_version("1.1.0\n");
}

TEST_F(Watching, SeesACheckoutAsOneChange) {
  const testing::GitRepository repository;
  repository.folder().write_all(testing::small_graph_data());
  for (int i = 0; i < 200; ++i)
    repository.folder().write("blocked-edges/x" + std::to_string(i) + ".yaml", "to: 1.0.0\n");
  repository.commit();
  repository.git("checkout -q -b other");
  for (int i = 0; i < 200; ++i)
    repository.folder().write("blocked-edges/x" + std::to_string(i) + ".yaml", "to: 2.0.0\n");
  repository.commit();
  repository.git("checkout -q main");
  watch(repository.text());
  repository.git("checkout -q other");
  expect_live([](const auto& files) {
    std::size_t count = 0;
    for (const auto& [name, bytes] : files) count += bytes == "to: 2.0.0\n" ? 1 : 0;
    EXPECT_TRUE(count == 0 || count == 200) << count;
    return count == 200;
  });
}

TEST_F(Watching, SeesWhatChangedBetweenReadingAndWatching) {
  source_ = std::make_unique<DirectorySource>(folder_.text());
  ASSERT_TRUE(source_->fetch({}));
  folder_.write("version", "1.1.0\n");
  ASSERT_TRUE(source_->watch(reports_.callback(), stop_.get_token()));
  expect_version("1.1.0\n");
}

TEST_F(Watching, LinksToFoldersAroundThemAndToTheRootCostNothing) {
  for (int i = 0; i < 30; ++i)
    fs::create_directory_symlink(".", folder_ / ("signatures-" + std::to_string(i)));
  fs::create_directories(folder_ / "signatures");
  for (int i = 0; i < 30; ++i)
    fs::create_directory_symlink("..", folder_ / ("signatures/l" + std::to_string(i)));
  fs::create_directory_symlink("/", folder_ / "raw");
  {
    const testing::Frugal frugal(std::chrono::seconds(10), 100);
    EXPECT_TRUE(read_folder_state(folder_.text(), Clock::system()).fault.empty());
  }
  const testing::Frugal frugal(std::chrono::seconds(30), 100);
  DirectorySource source(folder_.text());
  const auto fetched = source.fetch({});
  ASSERT_FALSE(fetched);
  EXPECT_TRUE(fetched.error().message.contains("link")) << fetched.error().message;
  ASSERT_TRUE(source.watch(reports_.callback(), stop_.get_token()));
  // What is written before the watches stand is no change.
  bool reported = false;
  for (int i = 0; i < 20 && !reported; ++i) {
    folder_.write("channels/stable-4.7.yaml", "name: stable-4.7\nversions: []\n#" + std::to_string(i));
    reported = reports_.wait_for_next(1s);
  }
  EXPECT_TRUE(reported);
}

TEST_F(Watching, WorksWithoutInotify) {
  watch(folder_.text(), {.quick_interval = 100ms, .without_inotify = true});
  folder_.write("channels/new-4.7.yaml", "name: new-4.7\nversions: []\n");
  expect_live([](const auto& files) { return files.contains("channels/new-4.7.yaml"); });
}

TEST_F(Watching, LeavesOutWhatHappensBesideTheFolder) {
  const testing::TempDirectory parent;
  for (const auto& [name, bytes] : testing::small_graph_data()) parent.write("data/" + name, bytes);
  watch(parent.text() + "/data");
  for (int i = 0; i < 10; ++i) parent.write("beside-" + std::to_string(i), "x");
  parent.write("data/version", "1.1.0\n");
  expect_version("1.1.0\n");
  EXPECT_EQ(reports_.count(), 1);
}

TEST_F(Watching, EndsWithItsStopTokenAndWithItsSource) {
  watch(folder_.text());
  stop_.request_stop();
  folder_.write("version", "1.1.0\n");
  source_.reset();
  EXPECT_EQ(reports_.count(), 0);
}

}  // namespace
}  // namespace fairway::sources
