// SPDX-License-Identifier: Apache-2.0

// Git trees out of memory: no repository, no libgit2.
#include "sources/internal/read/git_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace fairway::sources {
namespace {

/// Objects by a number of their own.
class FakeObjects final : public GitObjects {
 public:
  struct Entry {
    std::string mode, name;
    std::uint8_t id = 0;
  };

  void add_tree(std::uint8_t id, const std::vector<Entry>& entries) {
    std::string& tree = objects_[id];
    for (const Entry& entry : entries) {
      tree += entry.mode + " " + entry.name + std::string(1, '\0');
      tree += std::string(19, '\0') + static_cast<char>(entry.id);
    }
  }
  void add(std::uint8_t id, std::string content) { objects_[id] = std::move(content); }

  Result<std::size_t> size(const GitId& id) override {
    const auto content = tree(id);
    if (!content) return fail(content.error());
    return content->size();
  }
  Result<std::string> tree(const GitId& id) override {
    const auto found = objects_.find(id.back());
    if (found == objects_.end()) return fail(ErrorCode::unavailable, "object not found");
    return found->second;
  }
  Result<std::string> blob(const GitId& id) override { return tree(id); }

 private:
  std::map<std::uint8_t, std::string> objects_;
};

GitId id_of(std::uint8_t number) {
  GitId id{};
  id.back() = number;
  return id;
}

const std::string folder = "40000", file = "100644", link = "120000", submodule = "160000";

TEST(GitTree, GivesTheFilesThatCount) {
  FakeObjects objects;
  objects.add_tree(
      1, {{file, "README.md", 2}, {folder, "channels", 3}, {folder, "docs", 99}, {file, "version", 4}});
  objects.add(2, "not read");
  objects.add_tree(3, {{"100755", "stable-4.7.yaml", 5}});
  objects.add(4, "1.2.0\n");
  objects.add(5, "name: stable-4.7\n");
  const auto files = read_git_files(objects, id_of(1));
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(*files,
            (graphdata::Files{{"channels/stable-4.7.yaml", "name: stable-4.7\n"}, {"version", "1.2.0\n"}}));
}

TEST(GitTree, RefusesALinkOrSubmoduleThatCountsAndPassesOverOthers) {
  for (const std::string& mode : {link, submodule}) {
    for (const char* name : {"channels", "blocked-edges", "version"}) {
      FakeObjects objects;
      objects.add_tree(1, {{mode, name, 2}});
      const auto files = read_git_files(objects, id_of(1));
      ASSERT_FALSE(files) << mode << name;
      EXPECT_EQ(files.error().code, ErrorCode::invalid);
      EXPECT_NE(files.error().message.find(name), std::string::npos) << files.error().message;
    }
    FakeObjects objects;
    objects.add_tree(1, {{mode, "docs", 2}});
    EXPECT_TRUE(read_git_files(objects, id_of(1)));
  }
}

TEST(GitTree, RefusesBrokenTrees) {
  const std::string id(20, '\1');
  const std::vector<std::string> broken{
      "100644",
      "100644 version",
      "100644 version" + std::string(1, '\0') + id.substr(1),
      "100644 " + std::string(1, '\0') + id,
      "100644version" + std::string(1, '\0') + id,
      "10064x version" + std::string(1, '\0') + id,
      "100644 channels/stable-4.7.yaml" + std::string(1, '\0') + id,
      "40000 .." + std::string(1, '\0') + id,
  };
  for (const std::string& content : broken) {
    FakeObjects objects;
    objects.add(1, content);
    const auto files = read_git_files(objects, id_of(1));
    ASSERT_FALSE(files) << content;
    EXPECT_EQ(files.error().code, ErrorCode::invalid) << files.error().message;
  }
}

TEST(GitTree, NamesThePathOfAnObjectThatIsMissing) {
  FakeObjects objects;
  objects.add_tree(1, {{folder, "channels", 2}});
  objects.add_tree(2, {{file, "stable-4.7.yaml", 3}});
  const auto files = read_git_files(objects, id_of(1));
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::unavailable);
  EXPECT_EQ(files.error().message, "reading channels/stable-4.7.yaml: object not found");
}

TEST(GitTree, KeepsToTheLimitsOfFiles) {
  FakeObjects objects;
  objects.add_tree(1, {{folder, "channels", 2}});
  objects.add_tree(2, {{file, "stable-4.7.yaml", 3}});
  objects.add(3, std::string((1 << 20) + 1, ' '));
  const auto large = read_git_files(objects, id_of(1));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::too_large);
  EXPECT_NE(large.error().message.find("stable-4.7.yaml is 1048577 bytes"), std::string::npos)
      << large.error().message;

  FakeObjects many;
  std::vector<FakeObjects::Entry> entries;
  for (int i = 0; i < 65; ++i) entries.push_back({file, std::to_string(100 + i) + ".yaml", 3});
  many.add_tree(1, {{folder, "channels", 2}});
  many.add_tree(2, entries);
  many.add(3, std::string(1 << 20, ' '));
  const auto total = read_git_files(many, id_of(1));
  ASSERT_FALSE(total);
  EXPECT_EQ(total.error().code, ErrorCode::too_large);
}

TEST(GitTree, EndsWhereFoldersStandInFoldersManyTimes) {
  // Few objects, 100^15 folders: each folder holds the next one a hundred times.
  FakeObjects objects;
  objects.add_tree(1, {{folder, "channels", 2}});
  for (std::uint8_t level = 2; level < 17; ++level) {
    std::vector<FakeObjects::Entry> entries;
    for (int i = 0; i < 100; ++i)
      entries.push_back({folder, std::to_string(100 + i), static_cast<std::uint8_t>(level + 1)});
    objects.add_tree(level, entries);
  }
  objects.add_tree(17, {});
  const auto files = read_git_files(objects, id_of(1));
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::too_large) << files.error().message;

  FakeObjects deep;
  deep.add_tree(1, {{folder, "channels", 2}});
  deep.add_tree(2, {{folder, "in", 2}});
  const auto endless = read_git_files(deep, id_of(1));
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, ErrorCode::invalid) << endless.error().message;
}

TEST(GitTree, PathsAreLimited) {
  // Two objects of 200 KB, 2,000 files whose paths have 100 KB each.
  FakeObjects objects;
  std::vector<FakeObjects::Entry> entries;
  for (int i = 0; i < 2'000; ++i) entries.push_back({file, "sig-" + std::to_string(i), 4});
  objects.add_tree(1, {{folder, "signatures", 2}});
  objects.add_tree(2, {{folder, std::string(100'000, 'x'), 3}});
  objects.add_tree(3, entries);
  objects.add(4, "");
  const auto files = read_git_files(objects, id_of(1));
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::too_large) << files.error().message;
  EXPECT_LT(files.error().message.size(), 2'000U);

  FakeObjects beside;  // what does not count may be called anything
  beside.add_tree(1, {{file, std::string(100'000, 'x'), 4}});
  beside.add(4, "");
  EXPECT_TRUE(read_git_files(beside, id_of(1)));
}

TEST(GitTree, IsRefusedWhereAFolderHoldsANameTwice) {
  for (const std::string& second : {file, folder}) {
    FakeObjects objects;
    objects.add_tree(1, {{folder, "channels", 2}, {file, "version", 3}});
    objects.add_tree(2, {{file, "stable-4.7.yaml", 4}, {second, "stable-4.7.yaml", 5}});
    objects.add(3, "1.2.0\n");
    objects.add(4, "name: stable-4.7\n");
    objects.add(5, "name: stable-4.8\n");
    const auto files = read_git_files(objects, id_of(1));
    ASSERT_FALSE(files);
    EXPECT_EQ(files.error().message, "reading folder channels/: it holds \"stable-4.7.yaml\" twice");
  }
}

}  // namespace
}  // namespace fairway::sources
