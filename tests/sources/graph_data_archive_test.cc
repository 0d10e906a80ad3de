// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/read/graph_data_archive.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "oci/archives.h"

namespace fairway::sources {
namespace {

using fairway::testing::make_tar;
using fairway::testing::TarEntry;
using Kind = TarEntry::Kind;

std::vector<TarEntry> repository(const std::string& root) {
  return {{root + "version", "1.2.0\n"},
          {root + "README.md", "hello"},
          {root + "LICENSE", "Apache"},
          {root + "channels/stable-4.7.yaml", "name: stable-4.7"},
          {root + "blocked-edges/4.7.4-x.yaml", "to: 4.7.4"},
          {root + "raw/metadata.json", "{}"},
          {root + "signatures/sha256/aa/signature-1", "s"},
          {root + "hack/channels/not.yaml", "no"}};
}

Result<graphdata::Files> read(const std::vector<std::string>& layers) {
  GraphDataArchive archive;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) {
      if (auto next = archive.next_layer(); !next) return fail(next.error());
    }
    for (std::size_t at = 0; at < layers[i].size(); at += 1000) {
      if (auto pushed = archive.push(std::string_view(layers[i]).substr(at, 1000)); !pushed)
        return fail(pushed.error());
    }
  }
  return archive.finish();
}

std::string refusal(const std::vector<std::string>& layers) {
  const auto files = read(layers);
  return files ? "accepted" : files.error().message;
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(GraphDataArchive, FindsTheRepositoryUnderAnyTopFolder) {
  for (const std::string root :
       {"", "./", "cincinnati-graph-data-master/", "var/lib/cincinnati-graph-data/"}) {
    for (const std::string filter : {"none", "gzip", "zstd"}) {
      const auto files = read({make_tar(repository(root), filter)});
      ASSERT_TRUE(files) << root << ": " << files.error().message;
      EXPECT_EQ(files->at("version"), "1.2.0\n");
      EXPECT_EQ(files->at("channels/stable-4.7.yaml"), "name: stable-4.7");
      EXPECT_EQ(files->at("blocked-edges/4.7.4-x.yaml"), "to: 4.7.4");
      EXPECT_FALSE(files->contains("README.md"));
      EXPECT_EQ(files->size(), 6U);
    }
  }
}

TEST(GraphDataArchive, TakesTheShallowestOfSeveral) {
  auto entries = repository("data/");
  for (auto& entry : repository("data/tests/example/")) entries.push_back(entry);
  EXPECT_EQ(read({make_tar(entries)})->at("version"), "1.2.0\n");
  entries = repository("one/");
  for (auto& entry : repository("two/")) entries.push_back(entry);
  EXPECT_CONTAINS(refusal({make_tar(entries)}), "more than once");
}

TEST(GraphDataArchive, RefusesAnArchiveWithoutGraphData) {
  EXPECT_CONTAINS(refusal({make_tar({{"README.md", "x"}})}), "no graph data");
  EXPECT_CONTAINS(refusal({make_tar({{"version", "1.0.0"}})}), "no graph data");
  EXPECT_CONTAINS(refusal({make_tar({{"channels/a.yaml", "x"}})}), "no graph data");
  EXPECT_CONTAINS(refusal({make_tar(repository("a/b/c/d/e/"))}), "no graph data");
  EXPECT_NE(refusal({"no tar at all"}), "accepted");
  EXPECT_NE(refusal({""}), "accepted");
  const auto whole = make_tar(repository(""), "gzip");
  EXPECT_NE(refusal({whole.substr(0, whole.size() / 2)}), "accepted");
}

TEST(GraphDataArchive, LaysLayersOverEachOther) {
  const auto base = make_tar(repository("var/lib/data/"), "gzip");
  const auto files = read({base,
                           make_tar({{"var/lib/data/channels/stable-4.7.yaml", "changed"},
                                     {"var/lib/data/blocked-edges/.wh.4.7.4-x.yaml", ""},
                                     {"var/lib/data/channels/new.yaml", "new"}}),
                           make_tar({{"etc/motd", "unrelated"}}, "zstd")});
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->at("channels/stable-4.7.yaml"), "changed");
  EXPECT_EQ(files->at("channels/new.yaml"), "new");
  EXPECT_FALSE(files->contains("blocked-edges/4.7.4-x.yaml"));

  const auto emptied = read({base, make_tar({{"var/lib/data/channels/.wh..wh..opq", ""},
                                             {"var/lib/data/channels/only.yaml", "only"}})});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_TRUE(emptied->contains("channels/only.yaml"));
  EXPECT_FALSE(emptied->contains("channels/stable-4.7.yaml"));
  EXPECT_CONTAINS(refusal({base, make_tar({{"var/.wh.lib", ""}})}), "no graph data");
}

TEST(GraphDataArchive, NeverTakesAPartForAll) {
  for (const std::string path : {"blocked-edges/4.7.5-y.yaml", "blocked-edges/link.yml", "channels/b.yaml"}) {
    auto entries = repository("d/");
    entries.push_back({"d/" + path, "elsewhere", Kind::symlink});
    EXPECT_CONTAINS(refusal({make_tar(entries)}), "is a link");
  }
  auto entries = repository("d/");
  std::erase_if(entries, [](const auto& entry) { return entry.path.starts_with("d/blocked-edges/"); });
  entries.push_back({"d/blocked-edges", "../shared/blocked-edges", Kind::symlink});
  EXPECT_CONTAINS(refusal({make_tar(entries)}), "is a link");
  entries = repository("d/");
  entries.push_back({"d/blocked-edges/large.yaml", std::string(5 << 20, 'x')});
  EXPECT_CONTAINS(refusal({make_tar(entries, "gzip")}), "larger than");
  entries = repository("d/");
  entries.push_back({"other/LICENSE", "elsewhere", Kind::symlink});
  EXPECT_EQ(refusal({make_tar(entries)}), "accepted");
  entries.push_back({"d/../blocked-edges/x.yaml", "x"});
  EXPECT_CONTAINS(refusal({make_tar(entries)}), "..");
}

TEST(GraphDataArchive, TakesALinkThatALaterLayerReplaces) {
  auto entries = repository("d/");
  entries.push_back({"d/channels/b.yaml", "elsewhere", Kind::symlink});
  const auto base = make_tar(entries);
  EXPECT_EQ(refusal({base, make_tar({{"d/channels/b.yaml", "real"}})}), "accepted");
  EXPECT_EQ(refusal({base, make_tar({{"d/channels/.wh.b.yaml", ""}})}), "accepted");
  EXPECT_CONTAINS(refusal({make_tar(repository("d/")), make_tar({{"d/version", "x", Kind::symlink}})}),
                  "is a link");
}

TEST(GraphDataArchive, KeepsToItsLimits) {
  const std::string tar =
      make_tar({{"version", "1.2.0\n"}, {"channels/stable-4.7.yaml", std::string(100'000, ' ')}}, "gzip");
  const auto refused = [&tar](const ArchiveLimits& limits) {
    GraphDataArchive archive(limits);
    return !archive.push(tar) || !archive.finish();
  };
  EXPECT_FALSE(refused({}));
  EXPECT_TRUE(refused({.file_bytes = 50'000}));
  EXPECT_TRUE(refused({.kept_bytes = 50'000}));
  EXPECT_TRUE(refused({.unpacked_bytes = 50'000}));
}

TEST(GraphDataArchive, IsRefusedWhereAFileStandsInItTwice) {
  for (const std::string again : {"data/blocked-edges/4.7.4-x.yaml", "./data/blocked-edges/4.7.4-x.yaml",
                                  "data//blocked-edges/4.7.4-x.yaml"}) {
    auto entries = repository("data/");
    entries.push_back({again, "to: 4.7.5"});
    EXPECT_CONTAINS(refusal({make_tar(entries)}), "4.7.4-x.yaml\" stands in it twice");
    entries.push_back({again, "to: 4.7.6"});
    EXPECT_CONTAINS(refusal({make_tar(entries)}), "4.7.4-x.yaml\" stands in it twice");
  }
  // A later layer of an image replaces what earlier ones hold.
  EXPECT_EQ(read({make_tar(repository("data/")), make_tar({{"data/version", "1.1.0"}})})->at("version"),
            "1.1.0");
}

}  // namespace
}  // namespace fairway::sources
