// SPDX-License-Identifier: Apache-2.0

#include "oci/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "oci/archives.h"

namespace fairway::oci {
namespace {

using fairway::testing::make_tar;
using fairway::testing::TarEntry;
using Kind = TarEntry::Kind;

constexpr const char* metadata_path = "release-manifests/release-metadata";

TarReader::Options wanting(const std::string& path) {
  return {.wanted = [path](std::string_view p) { return p == path; }};
}

Result<void> feed(TarReader& reader, std::string_view bytes, std::size_t piece) {
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    auto more = reader.push(bytes.substr(at, piece));
    if (!more) return fail(more.error());
    if (!*more) return {};
  }
  return reader.finish();
}

class EachCompression : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Layers, EachCompression, ::testing::Values("none", "gzip", "zstd"),
                         [](const auto& param_info) { return param_info.param; });

TEST_P(EachCompression, GivesTheWantedFileWhateverThePieces) {
  const auto tar = make_tar({{"etc/passwd", std::string(10'000, 'x')},
                             {"./release-manifests/", "", Kind::folder},
                             {"./release-manifests/release-metadata", "{\"kind\":1}"},
                             {"later", "y"}},
                            GetParam());
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{512}, tar.size()}) {
    TarReader reader(wanting(metadata_path));
    const auto result = feed(reader, tar, piece);
    ASSERT_TRUE(result) << piece << ": " << result.error().message;
    ASSERT_EQ(reader.files().size(), 1U);
    EXPECT_EQ(reader.files().at(metadata_path), "{\"kind\":1}");
  }
}

TEST_P(EachCompression, StopsAtTheFirstWhenAsked) {
  const auto tar = make_tar({{metadata_path, "found"}, {"big", std::string(1 << 20, 'z')}}, GetParam());
  auto options = wanting(metadata_path);
  options.stop_at_first = true;
  TarReader reader(options);
  bool more = true;
  for (std::size_t at = 0; at < tar.size() && more; at += 64) more = reader.push(tar.substr(at, 64)).value();
  EXPECT_FALSE(more);
  EXPECT_FALSE(reader.push("anything").value());
  EXPECT_TRUE(reader.finish());
  EXPECT_EQ(reader.files().at(metadata_path), "found");
}

TEST_P(EachCompression, EndsQuietlyWhenGivenUpAtAnyPoint) {
  const auto tar = make_tar({{"a", std::string(3000, 'a')}, {metadata_path, "found"}}, GetParam());
  for (std::size_t size = 0; size < tar.size(); size += 37) {
    TarReader reader(wanting(metadata_path));
    ASSERT_TRUE(reader.push(tar.substr(0, size)));
  }
}

TEST_P(EachCompression, SaysThatACutOffArchiveIsBroken) {
  std::string noise(5000, ' ');
  std::uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const auto tar = make_tar({{metadata_path, noise}}, GetParam());
  TarReader reader(wanting(metadata_path));
  const auto result = feed(reader, tar.substr(0, 3000), 100);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::invalid);
  EXPECT_FALSE(reader.push("x"));
  EXPECT_FALSE(reader.finish());
}

TEST_P(EachCompression, EndsABombAtTheLimit) {
  const std::vector<TarEntry> unwanted{{"zeros", std::string(8 << 20, '\0')}};
  auto options = wanting(metadata_path);
  options.max_unpacked_bytes = 1 << 20;
  TarReader reader(options);
  const auto result = feed(reader, make_tar(unwanted, GetParam()), 4096);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::too_large);
}

TEST(TarReader, EndsWhatUnpacksToManyTimesItsSize) {
  const auto bomb = make_tar({{"zeros", std::string(std::size_t{400} << 20, '\0')}}, "zstd");
  ASSERT_LT(bomb.size(), 100'000U);
  TarReader reader({.wanted = [](std::string_view) { return false; }});
  const auto read = reader.push(bomb);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::too_large) << read.error().message;
}

TEST(TarReader, LimitsEntriesAndPaths) {
  const auto refused = [](const TarReader::Options& options, const std::string& tar) {
    TarReader reader(options);
    const auto read = reader.push(tar);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::too_large) << read.error().message;
    EXPECT_LT(read.error().message.size(), 1'000U);
  };
  const auto all = [](std::string_view) { return true; };
  refused({.wanted = all, .max_entries = 2}, make_tar({{"a", ""}, {"b", ""}, {"c", ""}}));
  refused({.wanted = all}, make_tar({{std::string(5'000, 'x'), ""}}));
  refused({.wanted = all}, make_tar({{".wh." + std::string(5'000, 'x'), ""}}));
  TarReader passes({.wanted = [](std::string_view) { return false; }});
  EXPECT_TRUE(passes.push(make_tar({{std::string(5'000, 'x'), ""}})));
}

TEST(TarReader, TakesAnArchiveWithoutFiles) {
  TarReader reader(wanting(metadata_path));
  EXPECT_TRUE(feed(reader, make_tar({}), 512));
  EXPECT_TRUE(reader.files().empty());
}

TEST(TarReader, RefusesWhatIsNoTar) {
  for (const std::string& text :
       {std::string("hello"), std::string(2000, 'h'), std::string("\x1f\x8b garbage")}) {
    TarReader reader(wanting(metadata_path));
    EXPECT_FALSE(feed(reader, text, 512));
  }
  TarReader nothing(wanting(metadata_path));
  EXPECT_FALSE(nothing.finish());
}

TEST(TarReader, RefusesPathsThatClimbOut) {
  TarReader reader(wanting(metadata_path));
  const auto result = feed(reader, make_tar({{"a/../release-manifests/release-metadata", "x"}}), 512);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find(".."), std::string::npos);
}

TEST(TarReader, RefusesAWantedFileThatIsALink) {
  for (const auto kind : {Kind::symlink, Kind::hardlink}) {
    TarReader reader(wanting(metadata_path));
    const auto result = feed(reader, make_tar({{"other", "x"}, {metadata_path, "other", kind}}), 512);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("is a link"), std::string::npos) << result.error().message;
  }
}

TEST(TarReader, NotesUnusableFilesWhereAsked) {
  auto options = wanting("");
  options.wanted = [](std::string_view) { return true; };
  options.record_unusable = true;
  options.max_file_bytes = 10;
  TarReader reader(options);
  ASSERT_TRUE(feed(
      reader, make_tar({{"link", "other", Kind::symlink}, {"large", std::string(11, 'x')}, {"small", "ok"}}),
      512));
  EXPECT_EQ(reader.files(), (std::map<std::string, std::string>{{"small", "ok"}}));
  ASSERT_EQ(reader.unusable().size(), 2U);
  EXPECT_TRUE(reader.unusable().contains("link"));
  EXPECT_TRUE(reader.unusable().contains("large"));
}

TEST(TarReader, LimitsOneFileAndAllFiles) {
  auto one = wanting("a");
  one.max_file_bytes = 99;
  TarReader large(one);
  auto result = feed(large, make_tar({{"a", std::string(100, 'a')}}), 512);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::too_large);

  TarReader::Options all{.wanted = [](std::string_view) { return true; }};
  all.max_kept_bytes = 1000;
  TarReader many(all);
  std::vector<TarEntry> entries;
  for (int i = 0; i < 100; ++i) entries.push_back({"f" + std::to_string(i), ""});
  result = feed(many, make_tar(entries), 512);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::too_large);
}

TEST(TarReader, KnowsWhatWhiteoutsHide) {
  TarReader reader(wanting(metadata_path));
  ASSERT_TRUE(feed(
      reader, make_tar({{"a/.wh.b", ""}, {"c/.wh..wh..opq", ""}, {".wh.d", ""}, {".wh..wh.plnk", ""}}), 512));
  const std::map<std::string, bool> expected{{"a/b", false}, {"c", true}, {"d", false}};
  EXPECT_EQ(reader.removed(), expected);
  for (const char* path : {"a/b", "a/b/x", "c/x", "c/x/y", "d", "d/e"})
    EXPECT_TRUE(reader.hides(path)) << path;
  for (const char* path : {"a", "a/bb", "c", "cc", "e", "x/d"}) EXPECT_FALSE(reader.hides(path)) << path;
}

TEST(TarReader, ReadsLongAndForeignNames) {
  const std::string long_name = std::string(150, 'd') + "/" + std::string(200, 'n');
  TarReader reader({.wanted = [&](std::string_view p) { return p == long_name || p == "b\xc3\xa4r"; }});
  ASSERT_TRUE(feed(reader, make_tar({{long_name, "1"}, {"b\xc3\xa4r", "2"}, {"\xff\xfe", "3"}}), 512));
  EXPECT_EQ(reader.files().size(), 2U);
}

}  // namespace
}  // namespace fairway::oci
