// SPDX-License-Identifier: Apache-2.0

// Folders of stores: which ones are made, taken and refused; nothing in them is ever removed.
#include "envtest/internal/store_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/is_ok.h"
#include "support/temp_directory.h"

namespace fairway::envtest {
namespace {

namespace fs = std::filesystem;
using fairway::testing::TempDirectory;

mode_t mode_of(const fs::path& path) {
  struct stat facts{};
  return ::lstat(path.c_str(), &facts) == 0 ? facts.st_mode & ALLPERMS : 0;
}

void expect_refused(const Result<StoreFolder>& folder, const std::string& why) {
  ASSERT_FALSE(folder) << why;
  EXPECT_TRUE(folder.error().message.contains(why)) << folder.error().message;
}

TEST(StoreFolder, IsMadeForThisUserAloneAndKeepsItsMark) {
  const TempDirectory data;
  const auto made = make_store_folder(data / "deep/data");
  ASSERT_OK(made);
  EXPECT_EQ(mode_of(made->path), 0700U);
  const auto again = make_store_folder(data / "deep/data");
  ASSERT_OK(again);
  EXPECT_EQ(again->mark, made->mark);
  const auto opened = open_store_folder(made->path);
  ASSERT_OK(opened);
  EXPECT_EQ(answer_to("c", *opened), answer_to("c", *made));
  EXPECT_NE(make_store_folder(data / "other")->mark, made->mark);
}

TEST(StoreFolder, LeavesFilesOfOthersAlone) {
  const TempDirectory data;
  data.write("fairway/file", "the user's");
  ASSERT_EQ(::chmod((data / "fairway").c_str(), 0777), 0);
  ASSERT_OK(make_store_folder(data.path()));
  EXPECT_TRUE(fs::exists(data / "fairway/file"));
  EXPECT_EQ(mode_of(data / "fairway"), 0777U);
}

TEST(StoreFolder, ThatOthersMayWriteToIsTakenOnlyIfItIsEmpty) {
  for (const mode_t mode : {0775U, 0777U, 01777U, 0702U}) {
    const TempDirectory data;
    data.write(".fairway-store/db", "planted");
    ASSERT_EQ(::chmod((data / ".fairway-store").c_str(), mode), 0);
    expect_refused(make_store_folder(data.path()), "others may write to it");
    EXPECT_TRUE(fs::exists(data / ".fairway-store/db"));
    // A refusal makes no difference to the next start.
    expect_refused(make_store_folder(data.path()), "others may write to it");
    fs::remove(data / ".fairway-store/db");
    ASSERT_OK(make_store_folder(data.path()));
    EXPECT_EQ(mode_of(data / ".fairway-store"), 0700U);
  }
}

TEST(StoreFolder, IsNoLinkAndNoOtherUsers) {
  const TempDirectory data;
  const auto real = make_store_folder(data / "real");
  ASSERT_OK(real);
  fs::create_directory(data / "linked");
  fs::create_directory_symlink(real->path, data / "linked/.fairway-store");
  EXPECT_FALSE(make_store_folder(data / "linked"));
  EXPECT_FALSE(open_store_folder(data / "linked/.fairway-store"));
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(real->path.c_str(), 12345, 12345), 0);
  expect_refused(make_store_folder(data / "real"), "belongs to the user 12345");
  expect_refused(open_store_folder(real->path), "belongs to the user 12345");
}

TEST(StoreFolder, ThatIsToldIsClosedForOthersAndHasAMark) {
  const TempDirectory data;
  const auto made = make_store_folder(data.path());
  ASSERT_OK(made);
  for (const mode_t mode : {0770U, 0755U, 0701U}) {
    ASSERT_EQ(::chmod(made->path.c_str(), mode), 0);
    expect_refused(open_store_folder(made->path), "others may enter it");
    EXPECT_EQ(mode_of(made->path), mode);
  }
  ASSERT_EQ(::chmod(made->path.c_str(), 0700), 0);
  expect_refused(open_store_folder(made->path.relative_path()), "its path is not absolute");
  EXPECT_FALSE(open_store_folder(data / "none"));
  data.write(".fairway-store/mark", "short");
  expect_refused(open_store_folder(made->path), "its mark is cut off");
  fs::remove(made->path / "mark");
  expect_refused(open_store_folder(made->path), "mark");
}

}  // namespace
}  // namespace fairway::envtest
