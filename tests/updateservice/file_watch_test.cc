// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/file_watch.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "support/generous.h"
#include "support/temp_directory.h"

namespace fairway::updateservice {
namespace {

class Changes {
 public:
  void add() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

TEST(FileWatch, SeesFilesWrittenReplacedRemovedAndLinkedElsewhere) {
  const fairway::testing::TempDirectory folder;
  folder.write("one/tls.crt", "1");
  folder.write("two/tls.crt", "2 is longer");
  std::filesystem::create_directory_symlink("one", folder / "data");
  std::filesystem::create_symlink("data/tls.crt", folder / "tls.crt");
  Changes changes;
  const FileWatch watch({(folder / "tls.crt").string(), (folder / "absent").string()},
                        [&] { changes.add(); });
  folder.write("one/tls.crt", "1, written");
  EXPECT_TRUE(changes.wait_for(1));
  std::filesystem::create_directory_symlink("two", folder / "next");
  std::filesystem::rename(folder / "next", folder / "data");
  EXPECT_TRUE(changes.wait_for(2)) << "the link leads elsewhere";
  folder.write("absent", "here");
  EXPECT_TRUE(changes.wait_for(3));
  std::filesystem::remove(folder / "absent");
  EXPECT_TRUE(changes.wait_for(4));
}

}  // namespace
}  // namespace fairway::updateservice
