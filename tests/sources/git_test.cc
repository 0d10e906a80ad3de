// SPDX-License-Identifier: Apache-2.0

#include "sources/git.h"

#include <gtest/gtest.h>

#include <string>

#include "support/git_repository.h"
#include "support/small_graph.h"

namespace fairway::sources {
namespace {

using testing::GitRepository;

class ReadGitTree : public ::testing::Test {
 protected:
  void SetUp() override { repository_.folder().write_all(testing::small_graph_data()); }
  GitRepository repository_;
};

TEST_F(ReadGitTree, ReadsWhatARevisionHeldWhateverTheWorkingTreeHolds) {
  repository_.folder().write("README.md", "not graph data");
  repository_.folder().write("hack/tool/x.yaml", "not graph data");
  repository_.commit();
  repository_.folder().write("version", "9.9.9\n");
  repository_.folder().write("channels/new-4.7.yaml", "name: new-4.7\n");
  const auto files = read_git_tree(repository_.text(), "HEAD");
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(*files, testing::small_graph_data());
}

TEST_F(ReadGitTree, TakesBranchesTagsCommitsAndExpressions) {
  const std::string first = repository_.commit();
  repository_.git("tag -a -m 'a tag' v1");
  repository_.folder().write("version", "1.1.0\n");
  repository_.commit();
  repository_.git("branch later");
  for (const std::string& revision : {first, first.substr(0, 10), std::string("v1"), std::string("HEAD~1")}) {
    const auto files = read_git_tree(repository_.text(), revision);
    ASSERT_TRUE(files) << revision << ": " << files.error().message;
    EXPECT_EQ(files->at("version"), "1.2.0\n") << revision;
  }
  const auto files = read_git_tree(repository_.text(), "later");
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->at("version"), "1.1.0\n");
}

TEST_F(ReadGitTree, ReadsTheFolderThatWasNamedInsideALargerRepository) {
  GitRepository large;
  for (const auto& [name, bytes] : testing::small_graph_data())
    large.folder().write("some/data/" + name, bytes);
  large.folder().write("channels/not-this-one.yaml", "name: no\n");
  large.commit();
  const auto files = read_git_tree(large.text() + "/some/data", "HEAD");
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(*files, testing::small_graph_data());
}

TEST_F(ReadGitTree, ReadsBareRepositories) {
  repository_.commit();
  const testing::TempDirectory bare;
  repository_.git("clone -q --bare . '" + bare.text() + "/bare.git'");
  const auto files = read_git_tree(bare.text() + "/bare.git", "main");
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(*files, testing::small_graph_data());
}

TEST_F(ReadGitTree, SaysWhichRevisionIsMissingAndWhatToDo) {
  repository_.commit();
  const auto files = read_git_tree(repository_.text(), "no-such-branch");
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::not_found);
  EXPECT_NE(files.error().message.find("no-such-branch"), std::string::npos);
}

TEST_F(ReadGitTree, SaysWhereThereIsNoRepository) {
  const testing::TempDirectory plain;
  const auto files = read_git_tree(plain.text(), "HEAD");
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::not_found);
  EXPECT_NE(files.error().message.find(plain.text()), std::string::npos);
}

TEST_F(ReadGitTree, RefusesLinksBecauseWhatTheyStandForIsNotThere) {
  std::filesystem::create_symlink("stable-4.7.yaml", repository_.folder() / "channels/fast-4.7.yaml");
  repository_.commit();
  const auto files = read_git_tree(repository_.text(), "HEAD");
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().message.find("channels/fast-4.7.yaml"), std::string::npos);
}

TEST_F(ReadGitTree, ReadsABaseThatSourcesRefuse) {
  std::filesystem::create_symlink("stable-4.7.yaml", repository_.folder() / "channels/fast-4.7.yaml");
  repository_.folder().write("channels/large.yaml", std::string((1 << 20) + 1, '#'));
  repository_.commit();
  const auto files = read_git_base(repository_.text(), "HEAD");
  ASSERT_TRUE(files) << files.error().message;
  auto expected = testing::small_graph_data();
  expected["channels/fast-4.7.yaml"] = expected["channels/large.yaml"] = "";
  EXPECT_EQ(*files, expected);
}

TEST_F(ReadGitTree, FindsLinksThatGitHoldsAndTheFolderHasStill) {
  GitRepository large;
  large.folder().write("data/version", "1.2.0\n");
  large.folder().write("data/channels/a.yaml", "name: a\n");
  for (const char* name : {"data/channels/b.yaml", "data/channels/c.yaml", "d.yaml"})
    std::filesystem::create_symlink("a.yaml", large.folder() / name);
  large.commit();
  std::filesystem::remove(large.folder() / "data/channels/c.yaml");
  large.folder().write("data/channels/c.yaml", "name: c\n");
  std::filesystem::create_symlink("a.yaml", large.folder() / "data/channels/not-in-git.yaml");
  EXPECT_EQ(find_git_links(large.text() + "/data"), (std::vector<std::string>{"channels/b.yaml"}));
  const testing::TempDirectory plain;
  EXPECT_TRUE(find_git_links(plain.path().string()).empty());
}

TEST_F(ReadGitTree, RefusesYamlThatIsTooLarge) {
  repository_.folder().write("channels/large.yaml", std::string((1 << 20) + 1, '#'));
  repository_.commit();
  const auto files = read_git_tree(repository_.text(), "HEAD");
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::too_large);
}

TEST_F(ReadGitTree, ResolvesRefsToCommits) {
  const std::string first = repository_.commit();
  repository_.git("tag -a -m 'a tag' v1");
  const std::string second = repository_.commit();
  EXPECT_EQ(resolve_git_ref(repository_.text(), "").value(), second);
  EXPECT_EQ(resolve_git_ref(repository_.text(), "main").value(), second);
  EXPECT_EQ(resolve_git_ref(repository_.text(), "v1").value(), first);
}

}  // namespace
}  // namespace fairway::sources
