// SPDX-License-Identifier: Apache-2.0

#include "release/cache.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "support/temp_directory.h"

namespace fairway::release {
namespace {

using fairway::testing::TempDirectory;

CachedImage release(const std::string& version) {
  return {.arch = "amd64", .metadata = R"({"version":")" + version + "\"}", .fault = {}, .retry_at = {}};
}

std::unique_ptr<Cache> open(const std::filesystem::path& file) {
  auto cache = Cache::open({.index = file, .images = {}});
  if (!cache) throw std::runtime_error(cache.error().message);
  return *std::move(cache);
}

TEST(Cache, RemembersAcrossARestart) {
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

TEST(Cache, LosesNothingButATornRecordWhereverAWriteEnds) {
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
    const bool first_is_there = size > whole.find('\n', whole.find("4.0.0")) - 1;
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

TEST(Cache, PassesOverDamage) {
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

TEST(Cache, BeginsAnewWithAFileOfAnotherFormat) {
  const TempDirectory folder;
  const auto file = folder.write("cache.log", "fairway-releases 999\nwho knows\n");
  ASSERT_TRUE(open(file)->put_image("sha256:a", release("4.0.0")));
  EXPECT_TRUE(open(file)->image("sha256:a"));
}

TEST(Cache, ForgetsWhatIsGoneAndStaysSmall) {
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

TEST(Cache, WorksInMemoryAlone) {
  const auto cache = open("");
  EXPECT_TRUE(cache->put_image("sha256:a", release("4.0.0")));
  EXPECT_TRUE(cache->image("sha256:a"));
  EXPECT_TRUE(cache->retain({}, {}));
  EXPECT_FALSE(cache->image("sha256:a"));
}

TEST(Cache, KeepsSignaturesBesideImages) {
  const TempDirectory folder;
  const std::string hex(64, 'a'), digest = "sha256:" + hex;
  const CachePlace place{.index = {}, .images = folder / "images"};
  const auto one = *Cache::open(place), other = *Cache::open(place);
  EXPECT_FALSE(one->verified(digest, ""));
  EXPECT_TRUE(one->put_verified(digest, "keys"));
  EXPECT_TRUE(other->verified(digest, "keys")) << "by another process";
  EXPECT_FALSE(other->verified(digest, "other keys"));
  EXPECT_EQ(read_file(folder / ("images/" + hex + ".verified")).value(), "keys");
  std::filesystem::remove(folder / ("images/" + hex + ".verified"));
  EXPECT_FALSE(one->verified(digest, "keys")) << "whoever removes it has it verified again";
}

TEST(Cache, ForgetsTheSignatureOfAnImageWithIt) {
  const TempDirectory folder;
  const auto cache = *Cache::open({.index = {}, .images = folder.path()});
  const auto digest = [](int number) { return "sha256:" + std::string(63, 'a') + std::to_string(number); };
  for (int number = 0; number < 10; ++number) {
    EXPECT_TRUE(cache->put_verified(digest(number), "keys"));
    cache->put_contents(digest(number), {.arch = "amd64", .files = {}});
  }
  int verified = 0, kept = 0;
  for (int number = 0; number < 10; ++number) {
    verified += cache->verified(digest(number), "keys") ? 1 : 0;
    kept += cache->contents(digest(number)) ? 1 : 0;
  }
  EXPECT_EQ(kept, 9);
  EXPECT_EQ(verified, kept);
}

TEST(Cache, KeepsWholeImagesInTheirFolder) {
  const TempDirectory folder;
  const CachePlace place{.index = {}, .images = folder / "images"};
  const Contents image{.arch = "amd64", .files = {{"a.yaml", "kind: A\n"}, {"release-metadata", "{}"}}};
  (*Cache::open(place))->put_contents("sha256:" + std::string(64, 'a'), image);
  const auto kept = (*Cache::open(place))->contents("sha256:" + std::string(64, 'a'));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->arch, image.arch);
  EXPECT_EQ(kept->files, image.files);
  EXPECT_FALSE((*Cache::open(place))->contents("sha256:" + std::string(64, 'b')));
}

TEST(Cache, RemovesWhatAKilledProcessLeftHalfWritten) {
  const TempDirectory folder;
  folder.write("cache.log.a1B2c3", "half");
  folder.write("other.log.a1B2c3", "of somebody else");
  open(folder / "cache.log");
  EXPECT_FALSE(std::filesystem::exists(folder / "cache.log.a1B2c3"));
  EXPECT_TRUE(std::filesystem::exists(folder / "other.log.a1B2c3"));
}

TEST(Cache, SaysWhatIsWrongWithItsFolder) {
  const TempDirectory folder;
  folder.write("taken", "a file");
  const auto cache = Cache::open({.index = folder / "taken/cache.log", .images = {}});
  ASSERT_FALSE(cache);
  EXPECT_NE(cache.error().message.find("taken"), std::string::npos);
}

}  // namespace
}  // namespace fairway::release
