// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <filesystem>

#include "sources/source.h"
#include "support/small_graph.h"
#include "support/temp_directory.h"

namespace fairway::sources {
namespace {

class FileReleaseSource : public ::testing::Test {
 protected:
  std::unique_ptr<ReleaseSource> source() {
    return std::move(make_release_source((folder_ / "releases.json").string(), {}).value());
  }
  testing::TempDirectory folder_;
};

TEST_F(FileReleaseSource, ReadsAReleaseList) {
  folder_.write("releases.json", testing::small_release_list());
  const auto fetched = source()->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  ASSERT_EQ(fetched->releases.size(), 3U);
  EXPECT_EQ(fetched->releases[2].version.to_string(), "4.7.4");
  EXPECT_EQ(fetched->releases[2].arch, "amd64");
  EXPECT_TRUE(fetched->problems.empty());
}

TEST_F(FileReleaseSource, GivesTheSameRevisionUntilItsBytesChange) {
  folder_.write("releases.json", testing::small_release_list());
  const auto reader = source();
  const std::string first = reader->fetch({})->revision;
  folder_.write("releases.json", testing::small_release_list());
  EXPECT_EQ(reader->fetch({})->revision, first);
  folder_.write("releases.json", R"({"arch":"arm64","releases":[]})");
  const auto changed = reader->fetch({});
  ASSERT_TRUE(changed);
  EXPECT_NE(changed->revision, first);
  EXPECT_TRUE(changed->releases.empty());
}

TEST_F(FileReleaseSource, NamesEntriesThatAreLeftOut) {
  folder_.write("releases.json",
                R"({"arch":"amd64","releases":[{"kind":"cincinnati-metadata-v0","version":"x"}]})");
  const auto fetched = source()->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_TRUE(fetched->releases.empty());
  ASSERT_EQ(fetched->problems.size(), 1U);
  EXPECT_EQ(fetched->problems[0].kind, graph::problem_kind::release_left_out);
}

TEST_F(FileReleaseSource, NamesFileAndLineOfWhatIsNoJson) {
  folder_.write("releases.json", "{\"arch\":\"amd64\",\n\"releases\":[}");
  const auto fetched = source()->fetch({});
  ASSERT_FALSE(fetched);
  EXPECT_NE(fetched.error().message.find("releases.json"), std::string::npos) << fetched.error().message;
  EXPECT_NE(fetched.error().message.find("line 2"), std::string::npos) << fetched.error().message;
}

TEST_F(FileReleaseSource, NamesAFileThatIsNotThere) {
  const auto fetched = source()->fetch({});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::not_found);
  EXPECT_NE(fetched.error().message.find("releases.json"), std::string::npos);
}

TEST_F(FileReleaseSource, ReadsPathsThatAreRelativeToWhereItRuns) {
  folder_.write("releases.json", testing::small_release_list());
  const auto relative = std::filesystem::relative(folder_ / "releases.json");
  const auto fetched = make_release_source(relative.string(), {}).value()->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->releases.size(), 3U);
}

TEST(Sources, SayWhichFormsThereAre) {
  for (const std::string spec : {"", "ftp://host/releases"}) {
    const auto source = make_release_source(spec, {});
    ASSERT_FALSE(source) << spec;
    EXPECT_EQ(source.error().code, ErrorCode::invalid);
    EXPECT_NE(source.error().message.find("oci://"), std::string::npos);
  }
  const auto graph_data = make_graph_data_source("ftp://host/graph-data", {});
  ASSERT_FALSE(graph_data);
  EXPECT_NE(graph_data.error().message.find("git+https://"), std::string::npos);
}

TEST(Sources, ReadRegistriesByRepositoryAndGraphDataByTag) {
  const auto releases = make_release_source("oci://registry.example:5000/release", {});
  ASSERT_TRUE(releases) << releases.error().message;
  EXPECT_NE((*releases)->name().find("registry.example:5000/release"), std::string::npos);
  const auto tagged = make_release_source("oci://registry.example:5000/release:4.7.4", {});
  ASSERT_FALSE(tagged);
  EXPECT_EQ(tagged.error().code, ErrorCode::invalid);
  const auto graph_data = make_graph_data_source("oci://registry.example/graph-data:latest", {});
  ASSERT_TRUE(graph_data) << graph_data.error().message;
  const auto broken = make_graph_data_source("oci://", {});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::invalid);
}

TEST(Sources, ClearlyRefuseGitOverSsh) {
  for (const std::string spec :
       {"git+ssh://git@host/graph-data", "ssh://git@host/graph-data", "git://host/graph-data"}) {
    const auto source = make_graph_data_source(spec, {});
    ASSERT_FALSE(source) << spec;
    EXPECT_EQ(source.error().code, ErrorCode::unsupported);
    EXPECT_NE(source.error().message.find("git+https://"), std::string::npos);
  }
}

}  // namespace
}  // namespace fairway::sources
