// SPDX-License-Identifier: Apache-2.0

#include "release/new_release.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "release/metadata.h"

namespace fairway::release {
namespace {

Description description(const std::vector<std::string>& previous = {"4.6.23", "4.7.2"}) {
  Description made{.version = Version::parse("4.7.4").value(),
                   .metadata = {{"url", "https://example.com/4.7.4"}},
                   .arch = "arm64"};
  for (const std::string& text : previous) made.previous.push_back(Version::parse(text).value());
  return made;
}

const Files manifests{{"0000_10_a_01.yaml", "kind: A\n"},
                      {"0000_20_b_01.json", "{}"},
                      {std::string(image_references_file), "{}"}};

TEST(NewReleaseTest, IsReadBackAsItWasDescribed) {
  const auto made = make_release(manifests, description());
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->contents.arch, "arm64");
  for (const auto& [name, bytes] : manifests) EXPECT_EQ(made->contents.files.at(name), bytes) << name;
  const auto metadata = read_metadata(made->contents, "it");
  ASSERT_TRUE(metadata.has_value()) << metadata.error().message;
  EXPECT_EQ(metadata->release.version.to_string(), "4.7.4");
  EXPECT_EQ(metadata->release.previous, (std::vector<std::string>{"4.6.23", "4.7.2"}));
  EXPECT_EQ(metadata->release.metadata.at("url"), "https://example.com/4.7.4");
}

TEST(NewReleaseTest, HasTheSameBytesFromTheSameFiles) {
  const auto one = make_release(manifests, description());
  const auto same = make_release(manifests, description({"4.7.2", "4.6.23", "4.7.2"}));
  const auto other = make_release(manifests, description({"4.6.23"}));
  ASSERT_TRUE(one && same && other);
  EXPECT_EQ(one->image.digest, same->image.digest);
  EXPECT_EQ(one->image.blobs, same->image.blobs);
  EXPECT_EQ(oci::layout_files(one->image, "4.7.4"), oci::layout_files(same->image, "4.7.4"));
  EXPECT_NE(one->image.digest, other->image.digest);
}

TEST(NewReleaseTest, NamesEachBlobByItsDigest) {
  const auto made = make_release(manifests, description());
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->image.blobs.size(), 3U);
  for (const auto& [digest, bytes] : made->image.blobs) EXPECT_EQ(digest, "sha256:" + sha256_hex(bytes));
  const auto manifest =
      oci::parse_manifest(made->image.blobs.at(made->image.digest), oci::media_type::oci_manifest);
  ASSERT_TRUE(manifest.has_value()) << manifest.error().message;
  EXPECT_EQ(manifest->config.digest, made->image.config_digest);
  ASSERT_EQ(manifest->layers.size(), 1U);
  EXPECT_EQ(manifest->layers[0].digest, made->image.layer_digest);
  EXPECT_EQ(manifest->layers[0].size, made->image.blobs.at(made->image.layer_digest).size());
  const auto files = oci::layout_files(made->image, "4.7.4");
  const auto index = oci::parse_manifest(files.at("index.json"), oci::media_type::oci_index);
  ASSERT_TRUE(index.has_value()) << index.error().message;
  EXPECT_EQ(index->manifests.at(0).digest, made->image.digest);
  EXPECT_EQ(index->manifests.at(0).platform->architecture, "arm64");
}

TEST(NewReleaseTest, RefusesWhatReadersWouldRefuse) {
  struct Row {
    Files files;
    std::string arch, error;
  };
  const std::vector<Row> rows{
      {{{std::string(metadata_file), "{}"}}, "amd64", "the folder has a file release-metadata"},
      {manifests, "", "the architecture \"\" is none"},
      {manifests, "x86_64", "the architecture \"x86_64\" is none"},
      {{{"a.yaml", std::string((8 << 20) + 1, ' ')}}, "amd64", "release-manifests/a.yaml"},
      {{{".wh.0000_10_a_1.yaml", "kind: A"}}, "amd64", "the file .wh.0000_10_a_1.yaml would be lost"},
      {{{"a/b.yaml", "kind: A"}}, "amd64", "the file a/b.yaml would be lost"},
  };
  for (const Row& row : rows) {
    Description asked = description();
    asked.arch = row.arch;
    const auto made = make_release(row.files, asked);
    ASSERT_FALSE(made.has_value()) << row.error;
    EXPECT_NE(made.error().message.find(row.error), std::string::npos) << made.error().message;
  }
  // Build metadata of a version names its architecture.
  Description other = description();
  other.version = Version::parse("4.7.4+amd64").value();
  EXPECT_FALSE(make_release(manifests, other).has_value());
}

}  // namespace
}  // namespace fairway::release
