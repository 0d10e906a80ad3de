// SPDX-License-Identifier: Apache-2.0

#include "release/internal/layers.h"

#include <gtest/gtest.h>

#include <ranges>
#include <string>
#include <vector>

#include "oci/archives.h"

namespace fairway::release {
namespace {

using testing::make_tar;
using testing::TarEntry;
using Kind = TarEntry::Kind;

/// Reads layers that are given from the bottom to the top, as a manifest lists them.
Result<Files> read_layers(const std::vector<std::string>& layers, const LayerLimits& limits = {},
                          std::size_t piece = 1000, Part part = Part::all) {
  Layers reader(part, limits);
  for (const std::string& layer : std::views::reverse(layers)) {
    for (std::size_t at = 0; at < layer.size(); at += piece)
      reader.push(std::string_view(layer).substr(at, piece));
    const auto more = reader.end_layer();
    if (!more) return fail(more.error());
    if (!*more) break;
  }
  return reader.files();
}

const std::vector<TarEntry> two_files{{"release-manifests/", "", Kind::folder},
                                      {"release-manifests/release-metadata", "{}"},
                                      {"release-manifests/0000_05_a.yaml", "kind: A"}};

TEST(LayersTest, KeepsTheFilesOfTheFolder) {
  const auto files = read_layers({make_tar({{"etc/passwd", "root"},
                                            {"./release-manifests/a.yaml", "a"},
                                            {"/release-manifests/b.yml", "b"},
                                            {"release-manifests/c.json", "c"},
                                            {"release-manifests/image-references", "i"},
                                            {"release-manifests/release-metadata", "m"},
                                            {"release-manifests/README.md", "no"},
                                            {"release-manifests/below/d.yaml", "no"},
                                            {"release-manifests-old/e.yaml", "no"},
                                            {"other/release-manifests/f.yaml", "no"}})});
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(*files, (Files{{"a.yaml", "a"},
                           {"b.yml", "b"},
                           {"c.json", "c"},
                           {"image-references", "i"},
                           {"release-metadata", "m"}}));
}

TEST(LayersTest, ReadsEachFormInPiecesOfAnySize) {
  for (const char* filter : {"none", "gzip", "zstd"}) {
    for (const std::size_t piece : {1, 7, 100'000}) {
      SCOPED_TRACE(std::string(filter) + " in pieces of " + std::to_string(piece));
      const auto files = read_layers({make_tar(two_files, filter)}, {}, piece);
      ASSERT_TRUE(files) << files.error().message;
      EXPECT_EQ(files->size(), 2U);
    }
  }
}

TEST(LayersTest, TheUpperLayerCounts) {
  const std::string lower =
      make_tar({{"release-manifests/a.yaml", "old"}, {"release-manifests/b.yaml", "old"}});
  struct Row {
    const char* name;
    std::vector<TarEntry> upper;
    Files files;
  };
  const std::vector<Row> rows{
      {"another file", {{"release-manifests/a.yaml", "new"}}, {{"a.yaml", "new"}, {"b.yaml", "old"}}},
      {"a whiteout", {{"release-manifests/.wh.a.yaml", ""}}, {{"b.yaml", "old"}}},
      {"a whiteout beside a file of the same layer",
       {{"release-manifests/.wh.a.yaml", ""}, {"release-manifests/a.yaml", "new"}},
       {{"a.yaml", "new"}, {"b.yaml", "old"}}},
      {"an opaque folder",
       {{"release-manifests/.wh..wh..opq", ""}, {"release-manifests/c.yaml", "new"}},
       {{"c.yaml", "new"}}},
      {"the folder removed", {{".wh.release-manifests", ""}}, {}},
      {"the root made opaque", {{".wh..wh..opq", ""}}, {}},
      {"a whiteout of something else", {{"etc/.wh.a.yaml", ""}}, {{"a.yaml", "old"}, {"b.yaml", "old"}}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto files = read_layers({lower, make_tar(row.upper)});
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ(*files, row.files);
  }
}

TEST(LayersTest, RefusesWhatIsNoFolderOfFiles) {
  struct Row {
    const char* name;
    std::vector<TarEntry> entries;
    const char* error;
  };
  const std::vector<Row> rows{
      {"a path that climbs", {{"release-manifests/../../etc/cron.d/x.yaml", "x"}}, "\"..\" in its path"},
      {"a path that climbs, elsewhere", {{"../x", "x"}}, "\"..\" in its path"},
      {"a symlink", {{"release-manifests/a.yaml", "/etc/passwd", Kind::symlink}}, "is a link"},
      {"a hard link",
       {{"etc/passwd", "root"}, {"release-manifests/a.yaml", "etc/passwd", Kind::hardlink}},
       "is a link"},
      {"a device", {{"release-manifests/a.yaml", "", Kind::device}}, "is no regular file"},
      {"the folder is a symlink", {{"release-manifests", "/etc", Kind::symlink}}, "is a link"},
      {"the folder is a file", {{"release-manifests", "x"}}, "is a file, and no folder"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto files = read_layers({make_tar(two_files), make_tar(row.entries, "gzip")});
    ASSERT_FALSE(files);
    EXPECT_EQ(files.error().code, ErrorCode::invalid);
    EXPECT_TRUE(files.error().message.contains(row.error)) << files.error().message;
  }
  // A link that nobody wants is nobody's fault.
  EXPECT_TRUE(read_layers({make_tar({{"bin/sh", "/bin/bash", Kind::symlink}})}));
}

TEST(LayersTest, RefusesLayersThatEndEarlyOrAreNoTars) {
  const std::string whole = make_tar(two_files, "gzip");
  for (const std::string& layer : {whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 20),
                                   std::string("no tar at all"), std::string()}) {
    const auto files = read_layers({layer});
    ASSERT_FALSE(files) << layer.size();
    EXPECT_EQ(files.error().code, ErrorCode::invalid);
  }
}

TEST(LayersTest, KeepsToItsLimits) {
  const std::string zeros(1 << 20, '\0');
  struct Row {
    const char* name;
    std::vector<std::string> layers;
    LayerLimits limits;
  };
  const std::vector<Row> rows{
      {"a bomb beside the manifests", {make_tar({{"zeros", zeros}}, "gzip")}, {.unpacked_bytes = 100'000}},
      {"a large manifest", {make_tar({{"release-manifests/a.yaml", zeros}}, "gzip")}, {.file_bytes = 1000}},
      {"many manifests",
       {make_tar({{"release-manifests/a.yaml", zeros}, {"release-manifests/b.yaml", zeros}}, "gzip")},
       {.all_bytes = (std::size_t{1} << 20) + 1000}},
      {"many manifests in layers of their own",
       {make_tar({{"release-manifests/a.yaml", zeros}}, "gzip"),
        make_tar({{"release-manifests/b.yaml", zeros}}, "gzip")},
       {.all_bytes = (std::size_t{1} << 20) + 1000}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto files = read_layers(row.layers, row.limits);
    ASSERT_FALSE(files);
    EXPECT_EQ(files.error().code, ErrorCode::too_large) << files.error().message;
  }
  // What an upper layer replaces or removes does not count.
  EXPECT_TRUE(
      read_layers({make_tar({{"release-manifests/a.yaml", zeros}}),
                   make_tar({{"release-manifests/.wh.a.yaml", ""}, {"release-manifests/b.yaml", zeros}}),
                   make_tar({{"release-manifests/b.yaml", zeros}})},
                  {.all_bytes = (std::size_t{1} << 20) + 1000}));
}

TEST(LayersTest, EndWithTheFirstMetadataWhereNothingElseIsWanted) {
  const std::string lower =
      make_tar({{"release-manifests/release-metadata", "old"}, {"release-manifests/a.yaml", "a"}});
  struct Row {
    const char* name;
    std::vector<std::string> layers;
    Files files;
  };
  const std::vector<Row> rows{
      {"in the layer at the top", {"no tar, never read", make_tar(two_files)}, {{"release-metadata", "{}"}}},
      {"below another one", {lower, make_tar({{"etc/.wh.passwd", ""}})}, {{"release-metadata", "old"}}},
      {"removed", {"no tar, never read", make_tar({{"release-manifests/.wh.release-metadata", ""}})}, {}},
      {"removed with its folder", {"no tar, never read", make_tar({{".wh.release-manifests", ""}})}, {}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto files = read_layers(row.layers, {}, 1000, Part::metadata);
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ(*files, row.files);
  }
  const auto link = read_layers({lower, make_tar({{"release-manifests", "/etc", Kind::symlink}})}, {}, 1000,
                                Part::metadata);
  EXPECT_FALSE(link) << "what the operator would refuse is not published";
}

}  // namespace
}  // namespace fairway::release
