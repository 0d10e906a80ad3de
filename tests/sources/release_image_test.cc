// A release image's layers and metadata out of memory: no registry.
#include "sources/read/internal/release_image.h"

#include <gtest/gtest.h>

#include "oci/archives.h"

namespace fairway::sources {
namespace {

using fairway::testing::make_tar;

const std::string metadata =
    R"({"kind":"cincinnati-metadata-v0","version":"4.7.0","previous":["4.6.23"],"metadata":{"url":"u"}})";

Result<ReleaseLayer::Findings> read_layer(const std::string& bytes, std::size_t piece = 100) {
  ReleaseLayer layer;
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    layer.push(std::string_view(bytes).substr(at, piece));
  return layer.finish();
}

TEST(ReleaseLayer, FindsTheMetadataHoweverTheLayerIsPackedAndCut) {
  for (const std::string filter : {"none", "gzip", "zstd"}) {
    const std::string tar =
        make_tar({{"etc/passwd", "x"}, {std::string(release_metadata_path), metadata}}, filter);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, tar.size()}) {
      const auto findings = read_layer(tar, piece);
      ASSERT_TRUE(findings) << findings.error().message;
      EXPECT_EQ(findings->metadata, metadata) << filter << piece;
      EXPECT_FALSE(findings->hidden);
    }
  }
}

TEST(ReleaseLayer, SaysWhetherItHidesTheMetadataOfLayersBelow) {
  const auto removed = read_layer(make_tar({{"release-manifests/.wh.release-metadata", ""}}, "gzip"));
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(removed->hidden);
  EXPECT_FALSE(removed->metadata);
  const auto other = read_layer(make_tar({{"etc/.wh.passwd", ""}}, "gzip"));
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->hidden);
}

TEST(ReleaseLayer, SaysAtItsEndThatItIsNoArchive) {
  const auto findings = read_layer("<html>no layer</html>");
  ASSERT_FALSE(findings);
  EXPECT_EQ(findings.error().code, ErrorCode::invalid);
}

TEST(ReleaseLayer, KeepsToItsLimits) {
  const std::string layer = make_tar(
      {{"etc/large", std::string(100'000, ' ')}, {std::string(release_metadata_path), metadata}}, "gzip");
  for (const LayerLimits& limits :
       {LayerLimits{.metadata_bytes = metadata.size() - 1}, LayerLimits{.unpacked_bytes = 100'000}}) {
    ReleaseLayer reader(limits);
    reader.push(layer);
    const auto findings = reader.finish();
    ASSERT_FALSE(findings);
    EXPECT_EQ(findings.error().code, ErrorCode::too_large) << findings.error().message;
  }
  ReleaseLayer enough({.metadata_bytes = metadata.size(), .unpacked_bytes = 1'000'000});
  enough.push(layer);
  EXPECT_TRUE(enough.finish());
}

TEST(ReleaseMetadata, IsCheckedAndKeptCompact) {
  const auto read = read_release_metadata(" " + metadata + "\n", "amd64", "oci://r/x:4.7.0");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->release.version.to_string(), "4.7.0");
  EXPECT_EQ(read->release.arch, "amd64");
  EXPECT_EQ(read->release.previous, std::vector<std::string>{"4.6.23"});
  EXPECT_EQ(read->document, metadata);
  const auto again = read_release_metadata(read->document, "amd64", "oci://r/x:4.7.0");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->document, read->document);
}

TEST(ReleaseMetadata, RefusesWhatDescribesNoRelease) {
  for (const char* text :
       {"", "[]", "{}", R"({"kind":"cincinnati-metadata-v0"})", R"({"kind":"other","version":"4.7.0"})",
        R"({"kind":"cincinnati-metadata-v0","version":"4.7.0","version":"4.8.0"})"})
    EXPECT_FALSE(read_release_metadata(text, "amd64", "oci://r/x:4.7.0")) << text;
}

}  // namespace
}  // namespace fairway::sources
