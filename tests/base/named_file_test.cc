// SPDX-License-Identifier: Apache-2.0

// Files that users name: links, pipes and devices stay (src/base/named_file.h).
#include "base/named_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

class NamedFile : public ::testing::Test {
 protected:
  const testing::TempDirectory directory_;
  const std::filesystem::path folder_ = directory_.path();
};

TEST_F(NamedFile, IsWrittenWhereLinksLead) {
  std::filesystem::create_directory(folder_ / "real");
  ASSERT_TRUE(write_file_atomically(folder_ / "real" / "config", "old"));
  std::filesystem::create_symlink("real/config", folder_ / "relative");
  std::filesystem::create_symlink(folder_ / "relative", folder_ / "absolute");
  for (const char* name : {"relative", "absolute"}) {
    ASSERT_TRUE(write_named_file(folder_ / name, name));
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / name)) << name;
    EXPECT_EQ(read_file(folder_ / "real" / "config").value(), name);
  }
}

TEST_F(NamedFile, IsMadeWhereALinkLeadsToNothing) {
  std::filesystem::create_symlink("later/config", folder_ / "link");
  ASSERT_TRUE(write_named_file(folder_ / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "later" / "config").value(), "new");
}

TEST_F(NamedFile, OfLinksInACircleIsRefused) {
  std::filesystem::create_symlink("b", folder_ / "a");
  std::filesystem::create_symlink("a", folder_ / "b");
  const auto written = write_named_file(folder_ / "a", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "writing " + (folder_ / "a").string() +
                                         ": Too many levels of symbolic links; remove the link, or name "
                                         "another file");
}

TEST_F(NamedFile, ThatIsAPipeGivesItsReaderTheBytesAndStays) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // Opened for both, so that nobody waits and no end is missing.
  const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  std::filesystem::create_symlink("pipe", folder_ / "link");
  for (const std::string& name : {pipe, (folder_ / "link").string()}) {
    EXPECT_TRUE(write_named_file(name, "bytes"));
    char buffer[16] = {};
    EXPECT_EQ(::read(reader, buffer, sizeof buffer), 5) << name;
    EXPECT_STREQ(buffer, "bytes") << name;
  }
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
}

/// Gives a file to another user; false where only root may.
bool give_away(const std::filesystem::path& path) {
  return ::lchown(path.c_str(), 65534, 65534) == 0;
}

TEST_F(NamedFile, IsNoPipeOfAnotherUser) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  if (!give_away(pipe)) GTEST_SKIP() << "only root gives files away";
  const auto written = write_named_file(pipe, "secret");
  char buffer[16];
  EXPECT_LT(::read(reader, buffer, sizeof buffer), 0);
  ::close(reader);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::forbidden) << written.error().message;
}

TEST_F(NamedFile, IsNotWhereAnotherUsersLinkLeadsFromAFolderForAll) {
  ASSERT_TRUE(write_file_atomically(folder_ / "mine", "old"));
  std::filesystem::create_directory(folder_ / "all");
  ASSERT_EQ(::chmod((folder_ / "all").c_str(), 01777), 0);
  std::filesystem::create_symlink(folder_ / "mine", folder_ / "all" / "link");
  if (!give_away(folder_ / "all" / "link")) GTEST_SKIP() << "only root gives files away";
  const auto written = write_named_file(folder_ / "all" / "link", "new");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::forbidden) << written.error().message;
  EXPECT_EQ(read_file(folder_ / "mine").value(), "old");
  // One's own, and one in a folder of its own, are followed.
  std::filesystem::create_symlink(folder_ / "mine", folder_ / "all" / "own");
  std::filesystem::create_symlink(folder_ / "mine", folder_ / "given");
  ASSERT_TRUE(give_away(folder_ / "given"));
  EXPECT_TRUE(write_named_file(folder_ / "all" / "own", "new"));
  EXPECT_TRUE(write_named_file(folder_ / "given", "newer"));
  EXPECT_EQ(read_file(folder_ / "mine").value(), "newer");
}

TEST_F(NamedFile, ThatIsADeviceStays) {
  const std::string device = folder_ / "null";
  if (::mknod(device.c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0)
    GTEST_SKIP() << "only root makes devices, and not in every container";
  const int opened = ::open(device.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0) GTEST_SKIP() << "this file system has no devices (nodev)";
  ::close(opened);
  EXPECT_TRUE(write_named_file(device, "bytes"));
  EXPECT_TRUE(std::filesystem::is_character_file(device));
}

TEST_F(NamedFile, ThatIsAnOpenFileOfProcIsWrittenInPlace) {
  ASSERT_TRUE(write_file_atomically(folder_ / "output", "longer than before"));
  const int opened = ::open((folder_ / "output").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(opened, 0);
  ASSERT_EQ(::write(opened, "long", 4), 4);
  EXPECT_TRUE(write_named_file("/proc/self/fd/" + std::to_string(opened), "bytes"));
  EXPECT_EQ(read_file(folder_ / "output").value(), "longbytesan before");
  ::close(opened);
}

TEST_F(NamedFile, IsNotAFolder) {
  const auto written = write_named_file(folder_, "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(
      written.error().message,
      "writing " + folder_.string() + ": Is a directory; name another file, or one that may be written to");
}

}  // namespace
}  // namespace fairway
