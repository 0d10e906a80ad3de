// SPDX-License-Identifier: Apache-2.0

#include "graph/explain.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace fairway::graph {
namespace {

/// tests/graph/data/explain.json: one snapshot, the channels that are hidden, and questions with their whole
/// answers.
TEST(Explain, GivesEachAnswerOfTheTable) {
  const auto table = testing::read_data("explain.json");
  const auto snapshot = testing::build_snapshot(*json::find(table, "snapshot"));
  const View view = testing::view_without(*snapshot, json::find(table, "hidden")->as_array());
  for (const auto& entry : json::find(table, "cases")->as_array()) {
    SCOPED_TRACE(std::string(*json::find_string(entry, "name")));
    const auto ask = [&](std::string_view key) { return json::find_string(entry, key).value_or(""); };
    const auto answer = explain(view, ask("channel"), json::find_string(entry, "arch").value_or("amd64"),
                                ask("from"), ask("to"));
    EXPECT_EQ(json::to_pretty_text(answer.to_json()), json::to_pretty_text(*json::find(entry, "answer")));
  }
}

TEST(Explain, NamesMetadataThatIsNotUnderstood) {
  const auto snapshot = testing::build_snapshot(
      json::parse(R"({"releases":{"amd64":[{"version":"4.7.0","previous":[],"next":[],"metadata":{}},
                                           {"version":"4.7.1","previous":["4.7.0"],"next":[],"metadata":{}},
                                           {"version":"4.7.2","previous":["4.7.0"],"next":[],"metadata":{}}]},
                      "channels":[{"name":"stable-4.7","versions":["4.7.0","4.7.1","4.7.2"]}],
                      "metadataFaults":[{"version":"4.7.1"},{"version":"4.7.1+arm64"}]})")
          .value());
  const auto answer = explain(View(*snapshot), "stable-4.7", "amd64", "4.7.0", "4.7.1");
  EXPECT_EQ(answer.verdict, Explanation::Verdict::conditional);
  ASSERT_EQ(answer.reasons.size(), 1U);
  EXPECT_EQ(answer.reasons[0].place.to_string(), "raw/metadata.json:7:2");
  EXPECT_EQ(explain(View(*snapshot), "stable-4.7", "amd64", "4.7.0", "4.7.2").verdict,
            Explanation::Verdict::recommended);
}

TEST(Explain, NeverNamesAHiddenChannel) {
  const auto table = testing::read_data("explain.json");
  const auto snapshot = testing::build_snapshot(*json::find(table, "snapshot"));
  const auto& releases = snapshot->find_architecture("amd64")->releases;
  for (std::size_t hidden = 0; hidden < snapshot->channels.size(); ++hidden) {
    const auto& name = snapshot->channels[hidden].name;
    const View view = testing::view_without(*snapshot, {json::Value(name)});
    for (std::size_t asked = 0; asked < snapshot->channels.size(); ++asked) {
      if (asked == hidden) continue;
      for (const auto& from : releases) {
        for (const auto& to : releases) {
          const auto answer = explain(view, snapshot->channels[asked].name, "amd64", from.text, to.text);
          EXPECT_EQ(json::to_text(answer.to_json()).find(name), std::string::npos)
              << snapshot->channels[asked].name << " " << from.text << " " << to.text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace fairway::graph
