// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graphdata/load.h"
#include "support/frugal.h"
#include "support/temp_directory.h"

namespace fairway::graphdata {
namespace {

TEST(Counts, ChoosesByFolderAndNotByEnding) {
  for (const char* path : {"version", "LICENSE", "channels/a.yaml", "channels/OWNERS", "blocked-edges/a.yml",
                           "raw/metadata.json", "signatures/sha256=ab/signature-1"}) {
    EXPECT_TRUE(counts(path)) << path;
  }
  for (const char* path :
       {"", "README.md", "internal-channels/candidate.yaml", "channels/old/a.yaml", "channels/",
        "blocked-edges/.a.yaml.swp", "signatures/.git/x", "build-suggestions/4.7.yaml", "a/version"}) {
    EXPECT_FALSE(counts(path)) << path;
  }
}

TEST(ReadDirectory, ReadsWhatCounts) {
  const testing::TempDirectory folder;
  folder.write("version", "1.2.0\n");
  folder.write("channels/a.yaml", "name: a\n");
  folder.write("channels/old/b.yaml", "name: b\n");
  folder.write("blocked-edges/.hidden.yaml", "x");
  folder.write("signatures/sha256=ab/signature-1", "s");
  folder.write("README.md", "r");
  const Result<Files> files = read_directory(folder.text());
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(*files, (Files{{"version", "1.2.0\n"},
                           {"channels/a.yaml", "name: a\n"},
                           {"signatures/sha256=ab/signature-1", "s"}}));
}

TEST(ReadDirectory, FollowsLinksAsMountedConfigMapsHaveThem) {
  const testing::TempDirectory folder;
  folder.write("..data/version", "1.2.0\n");
  folder.write("..data/channels/a.yaml", "name: a\n");
  std::filesystem::create_symlink("..data/version", folder / "version");
  std::filesystem::create_symlink("..data/channels", folder / "channels");
  const Result<Files> files = read_directory(folder.text());
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(*files, (Files{{"version", "1.2.0\n"}, {"channels/a.yaml", "name: a\n"}}));
}

TEST(ReadDirectory, FailsRatherThanReadHalf) {
  const auto refuses = [](const testing::TempDirectory& folder, std::string_view name) {
    const Result<Files> files = read_directory(folder.text());
    ASSERT_FALSE(files) << name;
    EXPECT_TRUE(files.error().message.contains(name)) << files.error().message;
  };
  {
    const testing::TempDirectory folder;
    std::filesystem::create_directories(folder / "blocked-edges");
    std::filesystem::create_symlink("nowhere", folder / "blocked-edges/dangling.yaml");
    refuses(folder, "dangling.yaml");
  }
  {
    const testing::TempDirectory folder;
    std::filesystem::create_symlink("nowhere", folder / "channels");
    refuses(folder, "channels");
  }
  {
    const testing::TempDirectory folder;
    std::filesystem::create_directories(folder / "blocked-edges");
    ASSERT_EQ(mkfifo((folder / "blocked-edges/pipe.yaml").c_str(), 0600), 0);
    refuses(folder, "pipe.yaml");
  }
  {
    const testing::TempDirectory folder;
    folder.write("channels/large.yaml", std::string((1 << 20) + 1, '#'));
    refuses(folder, "large.yaml");
  }
  {
    const testing::TempDirectory folder;
    std::filesystem::create_directory_symlink(".", folder / "signatures");
    refuses(folder, "signatures");
  }
  {  // what is read is handed out: nothing from outside
    const testing::TempDirectory outside, folder;
    outside.write("key.pem", "secret");
    std::filesystem::create_directories(folder / "signatures");
    std::filesystem::create_directory_symlink(outside.path(), folder / "signatures/leak");
    refuses(folder, "signatures/leak");
  }
  {
    const testing::TempDirectory outside, folder;
    std::filesystem::create_directories(folder / "blocked-edges");
    std::filesystem::create_symlink(outside.write("x.yaml", "to: 4.1.0"), folder / "blocked-edges/x.yaml");
    refuses(folder, "blocked-edges/x.yaml");
  }
  if (geteuid() != 0) {  // root may read everything
    const testing::TempDirectory folder;
    std::filesystem::permissions(folder.write("blocked-edges/secret.yaml", "x"),
                                 std::filesystem::perms::none);
    refuses(folder, "secret.yaml");
  }
}

TEST(ReadDirectory, EndsWhereLinksLeadToWhereTheyLie) {
  const auto refuses = [](const testing::TempDirectory& folder) {
    const testing::Frugal frugal(std::chrono::seconds(90), 100);
    const Result<Files> files = read_directory(folder.text());
    ASSERT_FALSE(files);
    EXPECT_TRUE(files.error().message.contains("link")) << files.error().message;
  };
  {
    const testing::TempDirectory folder;
    folder.write("signatures/a/x", "");
    for (int i = 0; i < 30; ++i)
      std::filesystem::create_directory_symlink(".", folder / ("signatures/l" + std::to_string(i)));
    refuses(folder);
  }
  {  // no folder lies in itself, but there are 20^7 ways through them
    const testing::TempDirectory folder;
    for (int level = 0; level < 7; ++level) {
      const std::string here = "signatures/" + std::to_string(level);
      folder.write(here + "/x", "");
      for (int i = 0; i < 20 && level < 6; ++i) {
        std::filesystem::create_directory_symlink("../" + std::to_string(level + 1),
                                                  folder / (here + "/l" + std::to_string(i)));
      }
    }
    refuses(folder);
  }
}

TEST(ReadDirectory, EndsWhenItIsToStop) {
  const testing::TempDirectory folder;
  folder.write("channels/a.yaml", "name: a\n");
  std::stop_source stop;
  stop.request_stop();
  const Result<Files> files = read_directory(folder.text(), counts, {.stop = stop.get_token()});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::cancelled);
}

TEST(ReadDirectory, SaysThatAFolderIsMissing) {
  const testing::TempDirectory folder;
  const Result<Files> absent = read_directory((folder / "absent").string());
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::not_found);
  const Result<Files> file = read_directory(folder.write("file", "x").string());
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::invalid);
}

}  // namespace
}  // namespace fairway::graphdata
