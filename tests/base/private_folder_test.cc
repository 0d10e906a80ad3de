// SPDX-License-Identifier: Apache-2.0

#include "base/private_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/temp_directory.h"

namespace fairway {
namespace {

mode_t mode_of(const std::filesystem::path& path) {
  struct stat facts{};
  return ::lstat(path.c_str(), &facts) == 0 ? facts.st_mode & ALLPERMS : 0;
}

TEST(PrivateFolder, IsMadeForItsOwnerAlone) {
  const testing::TempDirectory folder;
  const mode_t before = ::umask(0);
  const auto made = make_private_folder(folder / "a" / "b");
  ::umask(before);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(mode_of(folder / "a" / "b"), 0700U);
}

TEST(PrivateFolder, ThatIsThereIsClosedForOthers) {
  const testing::TempDirectory folder;
  std::filesystem::create_directory(folder / "open");
  ASSERT_EQ(::chmod((folder / "open").c_str(), 0777), 0);
  ASSERT_TRUE(make_private_folder(folder / "open"));
  EXPECT_EQ(mode_of(folder / "open"), 0700U);
}

TEST(PrivateFolder, ThatOthersCouldWriteToIsEmptied) {
  for (const mode_t mode : {0777U, 01777U, 0720U, 02770U, 0702U, 0755U, 0700U}) {
    const testing::TempDirectory folder;
    folder.write("elsewhere/kept", "");
    folder.write("keys/authority.pem", "planted");
    folder.write("keys/.hidden", "planted");
    folder.write("keys/sub/folder", "planted");
    std::filesystem::create_directory_symlink(folder / "elsewhere", folder / "keys" / "link");
    ASSERT_EQ(::chmod((folder / "keys").c_str(), mode), 0);
    const auto made = make_private_folder(folder / "keys");
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(mode_of(folder / "keys"), 0700U);
    const bool was_theirs = (mode & 022U) != 0;
    EXPECT_EQ(std::filesystem::is_empty(folder / "keys"), was_theirs) << std::oct << mode;
    EXPECT_TRUE(std::filesystem::exists(folder / "elsewhere" / "kept"));
  }
}

TEST(PrivateFolder, IsNoLinkAndNoFile) {
  const testing::TempDirectory folder;
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_directory_symlink(folder / "elsewhere", folder / "link");
  EXPECT_FALSE(make_private_folder(folder / "link"));
  folder.write("file", "");
  EXPECT_FALSE(make_private_folder(folder / "file"));
}

TEST(PrivateFolder, OfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  const testing::TempDirectory folder;
  std::filesystem::create_directory(folder / "theirs");
  ASSERT_EQ(::chown((folder / "theirs").c_str(), 12345, 12345), 0);
  const auto made = make_private_folder(folder / "theirs");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("belongs to the user 12345"), std::string::npos)
      << made.error().message;
}

}  // namespace
}  // namespace fairway
