#include "sources/fetch/internal/release_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "support/temp_directory.h"

namespace fairway::sources {
namespace {

using fairway::testing::TempDirectory;

CachedImage release(const std::string& version) {
  return {.arch = "amd64", .metadata = R"({"version":")" + version + "\"}", .fault = {}, .retry_at = {}};
}

std::unique_ptr<ReleaseCache> open(const std::filesystem::path& file) {
  auto cache = ReleaseCache::open(file);
  if (!cache) throw std::runtime_error(cache.error().message);
  return *std::move(cache);
}

TEST(ReleaseCache, RemembersAcrossARestart) {
  const TempDirectory folder;
  const auto file = folder / "registry/cache.log";
  {
    const auto cache = open(file);
    EXPECT_TRUE(cache->put_image("sha256:a", release("4.0.0")));
    EXPECT_TRUE(cache->put_image("sha256:b",
                                 {.arch = {}, .metadata = {}, .fault = "broken\n\"so\"", .retry_at = {}}));
    EXPECT_TRUE(cache->put_image("sha256:c", {.arch = {},
                                              .metadata = {},
                                              .fault = "gone",
                                              .retry_at = parse_time("2030-01-02T03:04:05Z").value()}));
    EXPECT_TRUE(cache->put_tag("4.0.0-x86_64", "sha256:a"));
    EXPECT_TRUE(cache->put_verified("sha256:a", "keys"));
  }
  const auto cache = open(file);
  EXPECT_EQ(cache->image("sha256:a")->metadata, release("4.0.0").metadata);
  EXPECT_TRUE(cache->image("sha256:a")->is_release());
  EXPECT_EQ(cache->image("sha256:b")->fault, "broken\n\"so\"");
  EXPECT_FALSE(cache->image("sha256:b")->retry_at);
  EXPECT_EQ(cache->image("sha256:c")->retry_at, parse_time("2030-01-02T03:04:05Z").value());
  EXPECT_EQ(cache->tag("4.0.0-x86_64"), "sha256:a");
  EXPECT_TRUE(cache->verified("sha256:a", "keys"));
  EXPECT_FALSE(cache->verified("sha256:a", "other keys"));
  EXPECT_FALSE(cache->verified("sha256:b", "keys"));
  EXPECT_FALSE(cache->image("sha256:d"));
  EXPECT_FALSE(cache->tag("latest"));
}

TEST(ReleaseCache, LosesNothingButATornRecordWhereverAWriteEnds) {
  const TempDirectory folder;
  const auto file = folder / "cache.log";
  {
    const auto cache = open(file);
    ASSERT_TRUE(cache->put_image("sha256:a", release("4.0.0")));
    ASSERT_TRUE(cache->put_image("sha256:b", release("4.0.1")));
  }
  const auto whole = read_file(file).value();
  const auto second = whole.find("4.0.1");
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    folder.write("cache.log", whole.substr(0, size));
    const bool first_is_there = size > whole.find("\n", whole.find("4.0.0")) - 1;
    {
      const auto cache = open(file);
      EXPECT_EQ(cache->image("sha256:a").has_value(), first_is_there) << size;
      if (size < second) {
        EXPECT_FALSE(cache->image("sha256:b")) << size;
      }
      ASSERT_TRUE(cache->put_image("sha256:c", release("4.0.2")));
    }
    const auto cache = open(file);
    EXPECT_EQ(cache->image("sha256:a").has_value(), first_is_there) << size;
    EXPECT_TRUE(cache->image("sha256:c")) << size;
  }
}

TEST(ReleaseCache, PassesOverDamage) {
  const TempDirectory folder;
  const auto file = folder / "cache.log";
  {
    const auto cache = open(file);
    ASSERT_TRUE(cache->put_image("sha256:a", release("4.0.0")));
    ASSERT_TRUE(cache->put_image("sha256:b", release("4.0.1")));
  }
  auto text = read_file(file).value();
  text[text.find("4.0.0")] = '5';
  folder.write("cache.log", text + "garbage\n0123456789abcdef {}\n\n");
  const auto cache = open(file);
  EXPECT_FALSE(cache->image("sha256:a"));
  EXPECT_TRUE(cache->image("sha256:b"));
}

TEST(ReleaseCache, BeginsAnewWithAFileOfAnotherFormat) {
  const TempDirectory folder;
  const auto file = folder.write("cache.log", "fairway-releases 999\nwho knows\n");
  ASSERT_TRUE(open(file)->put_image("sha256:a", release("4.0.0")));
  EXPECT_TRUE(open(file)->image("sha256:a"));
}

TEST(ReleaseCache, ForgetsWhatIsGoneAndStaysSmall) {
  const TempDirectory folder;
  const auto file = folder / "cache.log";
  const auto cache = open(file);
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(cache->put_tag("latest", "sha256:" + std::to_string(i)));
  ASSERT_TRUE(cache->put_image("sha256:a", release("4.0.0")));
  ASSERT_TRUE(cache->put_image("sha256:b", release("4.0.1")));
  ASSERT_TRUE(cache->put_tag("old", "sha256:b"));
  ASSERT_TRUE(cache->retain({"latest"}, {"sha256:a"}));
  EXPECT_LT(std::filesystem::file_size(file), 1000U);
  ASSERT_TRUE(cache->put_tag("new", "sha256:a"));
  const auto again = open(file);
  EXPECT_EQ(again->tag("latest"), "sha256:2999");
  EXPECT_EQ(again->tag("new"), "sha256:a");
  EXPECT_FALSE(again->image("sha256:b"));
}

TEST(ReleaseCache, WorksInMemoryAlone) {
  const auto cache = open("");
  EXPECT_TRUE(cache->put_image("sha256:a", release("4.0.0")));
  EXPECT_TRUE(cache->image("sha256:a"));
  EXPECT_TRUE(cache->retain({}, {}));
  EXPECT_FALSE(cache->image("sha256:a"));
}

TEST(ReleaseCache, RemovesWhatAKilledProcessLeftHalfWritten) {
  const TempDirectory folder;
  folder.write("cache.log.a1B2c3", "half");
  folder.write("other.log.a1B2c3", "of somebody else");
  open(folder / "cache.log");
  EXPECT_FALSE(std::filesystem::exists(folder / "cache.log.a1B2c3"));
  EXPECT_TRUE(std::filesystem::exists(folder / "other.log.a1B2c3"));
}

TEST(ReleaseCache, SaysWhatIsWrongWithItsFolder) {
  const TempDirectory folder;
  folder.write("taken", "a file");
  const auto cache = ReleaseCache::open(folder / "taken/cache.log");
  ASSERT_FALSE(cache);
  EXPECT_NE(cache.error().message.find("taken"), std::string::npos);
}

}  // namespace
}  // namespace fairway::sources
