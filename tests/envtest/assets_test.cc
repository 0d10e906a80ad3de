// SPDX-License-Identifier: Apache-2.0

// The folder of programs: made at once, made again, made by many.
#include "envtest/assets.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "support/is_ok.h"
#include "support/temp_directory.h"

namespace fairway::envtest {
namespace {

namespace fs = std::filesystem;

ino_t inode_of(const fs::path& file) {
  struct stat found{};
  return ::stat(file.c_str(), &found) == 0 ? found.st_ino : 0;
}

void write_program(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "#!/bin/sh\n";
  fs::permissions(file, fs::perms::owner_all);
}

TEST(Assets, AreScriptsThatRunTheProgramWithTheirName) {
  const fairway::testing::TempDirectory folder;
  const fs::path fairway = folder / "it's a place/fairway";
  ASSERT_OK(make_assets(folder / "a", fairway, ""));
  const auto text = read_file(folder / "a/etcd");
  ASSERT_OK(text);
  EXPECT_TRUE(text->contains("/it'\\''s a place/fairway' envtest etcd \"$@\"\n")) << *text;
  EXPECT_EQ(::access((folder / "a/kube-apiserver").c_str(), X_OK), 0);
  EXPECT_FALSE(fs::exists(folder / "a/kubectl"));
}

TEST(Assets, ThatAreRightAreLeftAlone) {
  const fairway::testing::TempDirectory folder;
  write_program(folder / "bin/kubectl");
  const std::string path = "relative:" + (folder / "none").string() + ":" + (folder / "bin").string();
  ASSERT_OK(make_assets(folder / "a", "/fairway", path));
  EXPECT_EQ(fs::read_symlink(folder / "a/kubectl"), folder / "bin/kubectl");
  const ino_t first = inode_of(folder / "a/etcd");
  // The folder itself on the PATH, as users have it, is no place to link from.
  ASSERT_OK(make_assets(folder / "a", "/fairway", (folder / "a").string() + ":" + path));
  EXPECT_EQ(inode_of(folder / "a/etcd"), first);
  EXPECT_EQ(fs::read_symlink(folder / "a/kubectl"), folder / "bin/kubectl");
  ASSERT_OK(make_assets(folder / "a", "/moved/fairway", path));
  EXPECT_NE(inode_of(folder / "a/etcd"), first);
  EXPECT_TRUE(read_file(folder / "a/etcd")->contains("/moved/fairway"));
}

TEST(Assets, AreMadeByManyAtOnce) {
  const fairway::testing::TempDirectory folder;
  write_program(folder / "bin/kubectl");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      const auto made =
          make_assets(folder / "a", i % 2 == 0 ? "/one/fairway" : "/two/fairway", (folder / "bin").string());
      EXPECT_OK(made);
      EXPECT_TRUE(read_file(folder / "a/etcd")->ends_with("\"$@\"\n"));
    });
  }
  threads.clear();
  // Nothing is left over.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "a"), fs::directory_iterator()), 3);
}

TEST(Assets, AreInAFolderThatNobodyElseMayWriteTo) {
  const fairway::testing::TempDirectory folder;
  const mode_t before = ::umask(002);
  EXPECT_OK(make_assets(folder / "new/a", "/fairway", ""));
  ::umask(before);
  EXPECT_EQ(fs::status(folder / "new/a").permissions(), fs::perms(0755));
  const std::string command = "chmod go-w '" + (folder / "new/a").string() + "'";
  for (const auto& [mode, says] :
       {std::pair(0775U, command), {0757U, command}, {01777U, std::string("name a folder in it")}}) {
    fs::permissions(folder / "new/a", fs::perms(mode));
    const auto made = make_assets(folder / "new/a", "/fairway", "");
    ASSERT_FALSE(made) << std::oct << mode;
    EXPECT_TRUE(made.error().message.contains(says)) << made.error().message;
  }
  fs::permissions(folder / "new/a", fs::perms(0755));
  fs::permissions(folder / "new/a/etcd", fs::perms(0777));
  EXPECT_OK(make_assets(folder / "new/a", "/fairway", ""));
  EXPECT_EQ(fs::status(folder / "new/a/etcd").permissions(), fs::perms(0755));
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown((folder / "new/a").c_str(), 12345, 12345), 0);
  const auto theirs = make_assets(folder / "new/a", "/fairway", "");
  ASSERT_FALSE(theirs);
  EXPECT_TRUE(theirs.error().message.contains("belongs to the user 12345")) << theirs.error().message;
}

TEST(Assets, ThatCannotBeWrittenAreAnErrorWithAWayOut) {
  const fairway::testing::TempDirectory folder;
  ASSERT_OK(write_file_atomically(folder / "file", ""));
  const auto made = make_assets(folder / "file/a", "/fairway", "");
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().message.contains("--dir")) << made.error().message;
}

}  // namespace
}  // namespace fairway::envtest
