// SPDX-License-Identifier: Apache-2.0

// Tables and metadata, as clients ask for them.
#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/server_case.h"
#include "base/text.h"

namespace fairway::apiserver::testing {
namespace {

const std::string as_table =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,"
    "application/json";
const std::string maps = "/api/v1/namespaces/default/configmaps";

class TableOutput : public OnServer {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b"}) ASSERT_OK(client->create(config_maps, config_map(name)));
  }

  json::Value table(const std::string& path, const std::string& query = "") const {
    return parsed(get(path, query, as_table));
  }

  /// Returns the first lines of a watch.
  std::vector<json::Value> watched(const std::string& query, std::size_t count,
                                   const std::string& accept = as_table) const {
    std::string text;
    [[maybe_unused]] const auto ended =
        client->send({.path = maps,
                      .query = "watch=true&" + query,
                      .accept = accept,
                      .on_body = [&](std::string_view piece) -> Result<void> {
                        text += piece;
                        const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
                        if (lines < count) return {};
                        return fail(ErrorCode::cancelled, "enough");
                      }},
                     scratch_);
    std::vector<json::Value> events;
    for (const std::string_view line : split(text, '\n')) {
      if (!line.empty() && events.size() < count) events.push_back(parsed(line));
    }
    return events;
  }

 private:
  mutable std::string scratch_;
};

std::string names_of(const json::Value& table) {
  std::string names;
  for (const json::Value& column : table.at("columnDefinitions").as_array()) {
    names += std::string(column.at("name").as_string()) + ' ';
  }
  return names;
}

TEST_F(TableOutput, OfAListHasItsVersionAndARowForEachObject) {
  const json::Value made = table(maps);
  EXPECT_EQ(made.at("kind"), "Table");
  EXPECT_EQ(made.at("apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(made.at("metadata").at("resourceVersion"),
            parsed(get(maps)).at("metadata").at("resourceVersion"));
  EXPECT_EQ(names_of(made), "Name Data Age ");
  const json::Array& rows = made.at("rows").as_array();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("cells").at(0), "a");
  EXPECT_EQ(rows[0].at("cells").at(1), 1);
  const json::Value& object = rows[0].at("object");
  EXPECT_EQ(object.at("kind"), "PartialObjectMetadata");
  EXPECT_EQ(object.at("metadata").at("name"), "a");
  EXPECT_EQ(json::find(object, "data"), nullptr);
}

TEST_F(TableOutput, ComesInPages) {
  const json::Value first = table(maps, "limit=1");
  EXPECT_EQ(first.at("rows").as_array().size(), 1U);
  EXPECT_EQ(first.at("metadata").at("remainingItemCount"), 1);
  const std::string token(first.at("metadata").at("continue").as_string());
  EXPECT_EQ(table(maps, "limit=1&continue=" + token).at("rows").at(0).at("cells").at(0), "b");
}

TEST_F(TableOutput, OfOneObject) {
  const json::Value made = table(maps + "/b");
  ASSERT_EQ(made.at("rows").as_array().size(), 1U);
  EXPECT_EQ(made.at("rows").at(0).at("cells").at(0), "b");
  EXPECT_EQ(made.at("metadata").at("resourceVersion"),
            made.at("rows").at(0).at("object").at("metadata").at("resourceVersion"));
}

TEST_F(TableOutput, IncludesWhatIsAskedFor) {
  EXPECT_TRUE(table(maps, "includeObject=None").at("rows").at(0).at("object").is_null());
  const json::Value whole = table(maps, "includeObject=Object").at("rows").at(0).at("object");
  EXPECT_EQ(whole.at("kind"), "ConfigMap");
  EXPECT_EQ(whole.at("data").at("a"), "1");
  const json::Value refused = table(maps, "includeObject=All");
  EXPECT_EQ(refused.at("code"), 400);
  EXPECT_EQ(
      refused.at("message"),
      "Unable to convert to Table as requested: includeObject: Invalid value: \"All\": must be 'Metadata', "
      "'Object', 'None', or empty");
}

TEST_F(TableOutput, OfAWatchDefinesItsColumnsOnce) {
  const std::string version(parsed(get(maps)).at("metadata").at("resourceVersion").as_string());
  for (const std::string& query :
       {std::string("resourceVersion=0"), "resourceVersion=" + std::to_string(std::stoll(version) - 2)}) {
    const auto events = watched(query, 2);
    ASSERT_EQ(events.size(), 2U) << query;
    EXPECT_EQ(events[0].at("type"), "ADDED");
    EXPECT_EQ(names_of(events[0].at("object")), "Name Data Age ");
    EXPECT_TRUE(events[1].at("object").at("columnDefinitions").is_null());
    EXPECT_EQ(events[1].at("object").at("rows").at(0).at("cells").at(0), "b");
  }
}

TEST_F(TableOutput, OfAWatchHasARowForABookmark) {
  const auto events = watched(
      "resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true&includeObject=None",
      3);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_TRUE(events[0].at("object").at("rows").at(0).at("object").is_null());
  EXPECT_EQ(events[2].at("type"), "BOOKMARK");
  const json::Value& bookmark = events[2].at("object");
  EXPECT_EQ(bookmark.at("kind"), "Table");
  const json::Value& metadata = bookmark.at("rows").at(0).at("object").at("metadata");
  EXPECT_EQ(metadata.at("annotations").at("k8s.io/initial-events-end"), "true");
  EXPECT_EQ(metadata.at("resourceVersion"), bookmark.at("metadata").at("resourceVersion"));
}

TEST_F(TableOutput, OfAWrite) {
  const json::Value made = parsed(send({.method = "POST",
                                        .path = maps,
                                        .content_type = "application/json",
                                        .body = config_map("c").to_text(),
                                        .accept = as_table}));
  EXPECT_EQ(made.at("kind"), "Table");
  EXPECT_EQ(made.at("rows").at(0).at("cells").at(0), "c");
  // A Status stays one.
  const json::Value removed = parsed(send({.method = "DELETE", .path = maps + "/c", .accept = as_table}));
  EXPECT_EQ(removed.at("kind"), "Status");
}

TEST_F(TableOutput, OfMetadata) {
  const std::string accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  const auto events = watched("resourceVersion=0", 2, accept);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].at("object").at("kind"), "PartialObjectMetadata");
  const json::Value list = parsed(
      get(maps, "", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"));
  EXPECT_EQ(list.at("kind"), "PartialObjectMetadataList");
  EXPECT_EQ(list.at("items").as_array().size(), 2U);
  EXPECT_EQ(parsed(get(maps + "/a", "", accept)).at("kind"), "PartialObjectMetadata");
}

}  // namespace
}  // namespace fairway::apiserver::testing
