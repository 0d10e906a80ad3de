// SPDX-License-Identifier: Apache-2.0

#include "graph/release.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/small_graph.h"

namespace fairway::graph {
namespace {

/// tests/graph/data/release-metadata.json: documents with the architecture of their image, and the expected
/// results.
TEST(ReadReleaseMetadata, TakesOrRefusesEachCaseOfTheTable) {
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/graph/data/release-metadata.json");
  ASSERT_TRUE(text) << text.error().message;
  const auto cases = json::parse(*text);
  ASSERT_TRUE(cases) << cases.error().message;
  for (const auto& entry : cases->as_array()) {
    const std::string name{*json::find_string(entry, "name")};
    SCOPED_TRACE(name);
    const auto release =
        read_release_metadata(*json::find(entry, "document"), *json::find_string(entry, "arch"), "x");
    if (const auto fault = json::find_string(entry, "error")) {
      ASSERT_FALSE(release);
      EXPECT_EQ(release.error().code, ErrorCode::invalid);
      EXPECT_NE(release.error().message.find(*fault), std::string::npos) << release.error().message;
      continue;
    }
    ASSERT_TRUE(release) << release.error().message;
    EXPECT_EQ(release->version.to_string(), *json::find_string(entry, "version"));
    EXPECT_EQ(release->arch, *json::find_string(entry, "arch"));
    EXPECT_EQ(release->source, "x");
    EXPECT_EQ(release->payload, json::find_string(entry, "payload").value_or(""));
    const json::Object lists{{"previous", json::Array(release->previous.begin(), release->previous.end())},
                             {"next", json::Array(release->next.begin(), release->next.end())}};
    EXPECT_EQ(json::to_text(lists), json::to_text(*json::find(entry, "lists")));
    json::Object metadata;
    for (const auto& [key, value] : release->metadata) metadata[key] = value;
    EXPECT_EQ(json::to_text(metadata), json::to_text(*json::find(entry, "metadata")));
  }
}

TEST(ReadReleaseList, ReadsEveryRelease) {
  const auto list = read_release_list(fairway::testing::small_release_list(), "releases.json");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_TRUE(list->problems.empty());
  ASSERT_EQ(list->releases.size(), 3u);
  EXPECT_EQ(list->releases[2].version.to_string(), "4.7.4");
  EXPECT_EQ(list->releases[2].previous, (std::vector<std::string>{"4.6.23", "4.7.0"}));
  EXPECT_EQ(list->releases[2].source, "releases.json");
}

TEST(ReadReleaseList, LeavesOutABadEntryAndNamesIt) {
  const auto list = read_release_list(
      R"({"arch":"amd64","releases":[7,{"kind":"cincinnati-metadata-v0","version":"4.7","image":"x"},)"
      R"({"kind":"cincinnati-metadata-v0","version":"4.7.1"},)"
      R"({"kind":"cincinnati-metadata-v0","version":"4.7.2","image":"x"}]})",
      "releases.json");
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->releases.size(), 2u);
  EXPECT_EQ(list->releases[0].payload, "");
  EXPECT_EQ(list->releases[1].version.to_string(), "4.7.2");
  ASSERT_EQ(list->problems.size(), 3u);
  EXPECT_EQ(list->problems[0].kind, problem_kind::release_left_out);
  EXPECT_EQ(list->problems[0].place.file, "releases.json");
  EXPECT_EQ(list->problems[0].message, "releases[0] is left out: release metadata is not a JSON object");
  EXPECT_NE(list->problems[1].message.find("releases[1] (4.7) is left out: `version`"), std::string::npos)
      << list->problems[1].message;
  EXPECT_EQ(list->problems[2].kind, problem_kind::release_without_image);
  EXPECT_EQ(list->problems[2].versions, std::vector<std::string>{"4.7.1"});
  EXPECT_NE(list->problems[2].message.find("no `image`"), std::string::npos);
}

TEST(ReadReleaseList, RefusesATextThatIsNone) {
  for (const auto* text : {"", "[]", "{", R"({"releases":[]})", R"({"arch":"AMD 64","releases":[]})",
                           R"({"arch":"amd64"})", R"({"arch":"amd64","releases":{}})"}) {
    const auto list = read_release_list(text, "releases.json");
    ASSERT_FALSE(list) << text;
    EXPECT_NE(list.error().message.find("reading the release list releases.json: "), std::string::npos)
        << list.error().message;
  }
}

TEST(ReleaseList, IsRefusedWhereAKeyStandsTwice) {
  for (
      const char* text :
      {R"({"arch":"amd64","releases":[],"releases":[]})",
       R"({"arch":"amd64","releases":[{"kind":"cincinnati-metadata-v0","version":"4.7.4","image":"a","image":"b"}]})"}) {
    const auto list = read_release_list(text, "releases.json");
    ASSERT_FALSE(list) << text;
    EXPECT_TRUE(list.error().message.contains("releases.json")) << list.error().message;
  }
}

}  // namespace
}  // namespace fairway::graph
