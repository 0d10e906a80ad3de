// SPDX-License-Identifier: Apache-2.0

// tests/apiserver/data/field_selectors.tsv: field selectors of each kind that has its own, over HTTP, and
// what kube-apiserver selects by them or answers.
#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/answers.h"
#include "apiserver/server_case.h"
#include "base/percent_encoding.h"
#include "base/text.h"
#include "support/table.h"

namespace fairway::apiserver::testing {
namespace {

class FieldSelectors : public OnServer {
 protected:
  /// Returns the names that a selector selects, or the words of the refusal.
  std::string selected(const std::string& path, const std::string& selector) const {
    const json::Value reply =
        parsed(get(path, "labelSelector=fs%3Dyes&fieldSelector=" + percent_encode(selector)));
    if (text_of(reply, "kind") == "Status") return text_of(reply, "message");
    std::vector<std::string> names;
    for (const json::Value& item : reply.at("items").as_array()) {
      names.push_back(text_of(item.at("metadata"), "name"));
    }
    std::ranges::sort(names);
    return names.empty() ? "-" : join(names, " ");
  }
};

TEST_F(FieldSelectors, SelectAsTheTableSays) {
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/field_selectors.tsv")) {
    const std::string path = row.at(1);
    if (row.at(0) == "POST") {
      const std::string made =
          send({.method = "POST", .path = path, .content_type = "application/json", .body = row.at(2)});
      ASSERT_NE(text_of(parsed(made), "kind"), "Status") << "line " << row.line << ": " << made;
      continue;
    }
    EXPECT_EQ(selected(path, row.at(2)), row.at(3))
        << "line " << row.line << ": " << path << " " << row.at(2);
  }
}

TEST_F(FieldSelectors, OfWatchesAndDeletionsAreCheckedToo) {
  const std::string unknown = "field label not supported: foo";
  const std::string watched = get("/api/v1/nodes", "watch=1&fieldSelector=foo%3Dbar");
  EXPECT_EQ(text_of(parsed(watched), "message"), unknown);
  const std::string deleted = send(
      {.method = "DELETE", .path = "/api/v1/namespaces/default/pods", .query = "fieldSelector=foo%3Dbar"});
  EXPECT_EQ(text_of(parsed(deleted), "message"), unknown);
}

}  // namespace
}  // namespace fairway::apiserver::testing
