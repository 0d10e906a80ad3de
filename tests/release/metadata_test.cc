// SPDX-License-Identifier: Apache-2.0

#include "release/metadata.h"

#include <gtest/gtest.h>

namespace fairway::release {
namespace {

const std::string metadata =
    R"({"kind":"cincinnati-metadata-v0","version":"4.7.0","previous":["4.6.23"],"metadata":{"url":"u"}})";

TEST(Metadata, IsCheckedAndKeptCompact) {
  const auto read = read_metadata(" " + metadata + "\n", "amd64", "oci://r/x:4.7.0");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->release.version.to_string(), "4.7.0");
  EXPECT_EQ(read->release.arch, "amd64");
  EXPECT_EQ(read->release.previous, std::vector<std::string>{"4.6.23"});
  EXPECT_EQ(read->document, metadata);
  const auto again = read_metadata(read->document, "amd64", "oci://r/x:4.7.0");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->document, read->document);
}

TEST(Metadata, RefusesWhatDescribesNoRelease) {
  for (const char* text :
       {"", "[]", "{}", R"({"kind":"cincinnati-metadata-v0"})", R"({"kind":"other","version":"4.7.0"})",
        R"({"kind":"cincinnati-metadata-v0","version":"4.7.0","version":"4.8.0"})"})
    EXPECT_FALSE(read_metadata(text, "amd64", "oci://r/x:4.7.0")) << text;
}

TEST(Metadata, IsWhatMakesAnImageARelease) {
  const auto none = read_metadata({.arch = "amd64", .files = {{"a.yaml", "kind: A"}}}, "oci://r/x:4.7.0");
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().message.contains("no release")) << none.error().message;
  const auto broken =
      read_metadata({.arch = "amd64", .files = {{"release-metadata", "{"}}}, "oci://r/x:4.7.0");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.contains("release-manifests/release-metadata"))
      << broken.error().message;
}

}  // namespace
}  // namespace fairway::release
